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
