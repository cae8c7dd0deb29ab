import { spawn } from 'node:child_process';

/** How the platform is asked to show an address: a program and its arguments, never a line for a shell. */
export function browserCommand(
  platform: NodeJS.Platform,
  url: string,
): readonly [command: string, ...args: string[]] {
  switch (platform) {
    case 'darwin':
      return ['open', url];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', url];
    default:
      return ['xdg-open', url];
  }
}

const WAIT_MS = 1_500;

/**
 * Shows a web address in the browser of this machine. False where that is not possible. Nothing but http and https is
 * ever opened: an address comes from a server, and other schemes start programs.
 */
export async function openBrowser(
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const url = toWebAddress(address);
  if (url === undefined || (platform === 'linux' && !hasScreen(environment))) return false;
  const [command, ...args] = browserCommand(platform, url);
  return new Promise((resolve) => {
    // A launcher that is still there after a moment is showing it.
    const patience = setTimeout(() => resolve(true), WAIT_MS);
    const settle = (opened: boolean): void => {
      clearTimeout(patience);
      resolve(opened);
    };
    const child = spawn(command, args, { stdio: 'ignore', detached: true, shell: false });
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    child.unref();
  });
}

/** As browsers write it: no character of it means anything to a launcher. */
export function toWebAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}

function hasScreen(environment: Readonly<Record<string, string | undefined>>): boolean {
  return ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'].some((name) => (environment[name] ?? '') !== '');
}
