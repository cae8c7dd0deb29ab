import type { ServerCapabilities } from '../model/index.js';

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

const TASKS = 'io.modelcontextprotocol/tasks';

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
      return capabilities.extensions?.[TASKS] !== undefined;
    default:
      return true;
  }
}

const OWN_SPACES = new Set([
  'completion',
  'elicitation',
  'initialize',
  'logging',
  'notifications',
  'ping',
  'prompts',
  'resources',
  'roots',
  'sampling',
  'server',
  'subscriptions',
  'tasks',
  'tools',
]);

/**
 * Whether the name of a method belongs to the protocol itself, now or in a later revision. Extensions have spaces of their
 * own, or a level below those of the protocol, such as `resources/directory/read`.
 */
export function isOfProtocol(method: string): boolean {
  const [space = '', , ...below] = method.split('/');
  if (!OWN_SPACES.has(space)) return false;
  return below.length === 0 || space === 'notifications' || method === 'resources/templates/list';
}

/** Tasks of the handshake era share names with those of the extension and nothing else, so they are not served there. */
export function existsInLegacy(method: string): boolean {
  return !method.startsWith('tasks/');
}

export { TASKS as TASKS_EXTENSION };
