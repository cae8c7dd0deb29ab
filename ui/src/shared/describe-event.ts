import type { EventView } from '../api/events.js';
import { toDuration } from './time.js';

type Facts = Readonly<Record<string, unknown>>;

function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function actorOf({ actor }: EventView): string {
  const { kind, id, admin } = actor as {
    readonly kind: string;
    readonly id?: unknown;
    readonly admin?: unknown;
  };
  if (kind === 'hub') return 'The hub';
  const name = `${kind === 'agent' ? 'Agent' : 'Admin'} ${word(id)}`;
  return admin === undefined ? name : `${name} (called by ${word(admin)})`;
}

const VERBS: Readonly<Record<string, string>> = {
  'connector.added': 'added connector',
  'connector.changed': 'changed connector',
  'connector.removed': 'removed connector',
  'agent.added': 'added agent',
  'agent.changed': 'changed agent',
  'agent.removed': 'removed agent',
  'key.added': 'made a key for agent',
  'key.revoked': 'revoked a key of agent',
  'policy.changed': 'changed policy',
};

/** An event as a sentence. */
export function describeEvent(event: EventView): string {
  const who = actorOf(event);
  const facts: Facts = event;
  const connector = word(facts['connector']);
  const verb = VERBS[event.type];
  if (verb !== undefined)
    return `${who} ${verb} ${connector || word(facts['agent']) || word(facts['policy'])}`;
  switch (event.type) {
    case 'call.intended':
      return `${who} is about to call ${word(facts['exposedName'])}`;
    case 'call.finished':
      return `${who} called ${word(facts['exposedName'])} in ${toDuration(Number(facts['durationMs']))}`;
    case 'call.refused':
      return `${who} was refused ${word(facts['exposedName'])}: ${word(facts['error']).replaceAll('_', ' ')}`;
    case 'connector.synced':
      return `${who} synced ${connector}: ${word(facts['tools'])} tools, ${word(facts['added'])} new, ${word(facts['removed'])} gone, ${word(facts['changed'])} changed`;
    case 'connector.sync_failed':
      return `Sync of ${connector} failed: ${word(facts['reason'])}`;
    case 'connector.health': {
      const reason = word(facts['reason']);
      return `${connector} went from ${word(facts['from'])} to ${word(facts['to'])}${reason === '' ? '' : `: ${reason}`}`;
    }
    case 'connector.breaker_opened':
      return `${connector} did not answer ${word(facts['failures'])} times in a row; calls to it fail at once for now`;
    case 'connector.breaker_closed':
      return `${connector} answers again after ${toDuration(Number(facts['openMs']))}`;
    case 'credential.saved':
      return `${who} stored a credential of ${word(facts['owner'])} for ${connector}`;
    case 'credential.removed':
      return `${who} removed the credential of ${word(facts['owner'])} for ${connector}`;
    case 'session.started':
      return `${who} signed in`;
    case 'session.ended':
      return `${who} signed out`;
    case 'auth.refused':
      return `Somebody was refused at the ${word(facts['surface'])} door: ${word(facts['reason'])}`;
    case 'hub.started':
      return `The hub ${word(facts['version'])} started`;
    case 'hub.stopped':
      return `The hub ${word(facts['version'])} stopped`;
    case 'hub.recovered':
      return `The hub came back; ${word(facts['unfinishedCalls'])} calls had been under way`;
    case 'config.reloaded':
      return 'A changed configuration was put in force';
    case 'config.refused':
      return `A changed configuration was refused: ${word(facts['reason'])}`;
    default:
      return `${who}: ${event.type.replaceAll(/[._]/g, ' ')} ${connector || word(facts['agent'])}`.trimEnd();
  }
}
