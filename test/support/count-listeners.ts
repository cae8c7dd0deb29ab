import type { Listen, Notifier } from '../../src/mcp/server/index.js';

/** Has those counted who hear of changes now. */
export function countListeners(notifier: Notifier): { readonly listen: Listen; count(): number } {
  let count = 0;
  return {
    listen: async (request) => {
      const subscription = await notifier.listen(request);
      count++;
      return {
        honoured: subscription.honoured,
        close() {
          count--;
          subscription.close();
        },
      };
    },
    count: () => count,
  };
}
