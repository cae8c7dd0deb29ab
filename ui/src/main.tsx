import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { LiveEvents } from './api/live.js';
import { createQueryClient } from './api/query-client.js';
import { openSession } from './api/session.js';
import { LiveContext } from './api/use-live.js';
import { createConsoleRouter } from './router.js';
import { restoreTheme } from './shell/theme.js';
import './styles.css';

restoreTheme();
const client = createQueryClient();
openSession(client);
const live = new LiveEvents(client);
live.start();
const place = document.getElementById('root');
if (place !== null) {
  createRoot(place).render(
    <QueryClientProvider client={client}>
      <LiveContext value={live}>
        <RouterProvider router={createConsoleRouter()} />
      </LiveContext>
    </QueryClientProvider>,
  );
}
