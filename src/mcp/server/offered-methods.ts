import { supportsTasks, type ServerCapabilities } from '../model/index.js';

/** Answered by the server itself, in the eras that have them; no handler may take their place. */
export const OWN_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'server/discover',
  'subscriptions/listen',
]);

/** Whether the capability that a method belongs to is advertised. Methods of unknown extensions belong to none. */
export function isOffered(method: string, capabilities: ServerCapabilities): boolean {
  switch (method.slice(0, method.indexOf('/') + 1)) {
    case 'tools/':
      return capabilities.tools !== undefined;
    case 'prompts/':
      return capabilities.prompts !== undefined;
    case 'resources/':
      return capabilities.resources !== undefined;
    case 'completion/':
      return capabilities.completions !== undefined;
    case 'tasks/':
      return supportsTasks(capabilities);
    default:
      return true;
  }
}
