import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import {
  ADMIN_BASE_PATH,
  ADMIN_ROUTES,
  CALL_OUTCOMES,
  EVENT_TYPES,
  type AdminRoute,
} from '../src/contract/index.js';

/**
 * The routes of the admin API as plain data. The contract itself carries the schemas and the library that checks them,
 * which a browser has no use for.
 */
function contractAsData(): Plugin {
  const id = 'virtual:contract';
  const routes = Object.fromEntries(
    Object.entries(ADMIN_ROUTES).map(([noun, group]) => [
      noun,
      Object.fromEntries(
        Object.entries<AdminRoute>(group).map(([verb, { method, path, role, answers }]) => [
          verb,
          { method, path: ADMIN_BASE_PATH + path, role, answers },
        ]),
      ),
    ]),
  );
  const text = Object.entries({ ROUTES: routes, CALL_OUTCOMES, EVENT_TYPES })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join('\n');
  return {
    name: 'contract-as-data',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (source) => (source === `\0${id}` ? text : undefined),
  };
}

// Whatever runs the build, what is published is the build for production.
process.env['NODE_ENV'] = 'production';

const here = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: here,
  base: '/',
  plugins: [contractAsData(), react(), tailwindcss()],
  build: {
    outDir: fileURLToPath(new URL('../dist/ui', import.meta.url)),
    emptyOutDir: true,
    // Beside the assets of other pages.
    assetsDir: 'console',
    // A file, never a `data:` address: styles and scripts come from files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
  },
});
