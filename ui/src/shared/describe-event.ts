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
  'account.connecting': 'began to connect an account of',
  'account.connected': 'connected an account of',
  'account.renewed': 'renewed an account of',
  'account.chosen': 'chose another account for calls of',
  'account.disconnected': 'disconnected an account of',
};

interface Told {
  readonly who: string;
  readonly connector: string;
  readonly facts: Facts;
}

const SENTENCES: Readonly<Record<string, (told: Told) => string>> = {
  'call.intended': ({ who, facts }) => `${who} is about to call ${word(facts['exposedName'])}`,
  'call.finished': ({ who, facts }) =>
    `${who} called ${word(facts['exposedName'])} in ${toDuration(Number(facts['durationMs']))}`,
  'call.refused': ({ who, facts }) =>
    `${who} was refused ${word(facts['exposedName'])}: ${word(facts['error']).replaceAll('_', ' ')}`,
  'call.repeated': ({ who, facts }) =>
    `${who} sent a call of ${word(facts['exposedName'])} again and got the answer of before`,
  'question.refused': ({ connector, facts }) =>
    `A question of ${connector} reached nobody: ${word(facts['reason'])}`,
  'question.reduced': ({ connector, facts }) =>
    `A question${connector === '' ? '' : ` of ${connector}`} lost what its client cannot read: ${word(facts['method'])}`,
  'answer.reduced': ({ facts }) =>
    `An answer of ${word(facts['exposedName'])} lost what its client cannot read`,
  'progress.dropped': ({ connector, facts }) =>
    `${word(facts['count'])} messages of a call to ${connector} came while its caller was away`,
  'connector.synced': ({ who, connector, facts }) =>
    `${who} synced ${connector}: ${word(facts['tools'])} tools, ${word(facts['added'])} new, ${word(facts['removed'])} gone, ${word(facts['changed'])} changed`,
  'connector.sync_failed': ({ connector, facts }) => `Sync of ${connector} failed: ${word(facts['reason'])}`,
  'connector.health': ({ connector, facts }) => {
    const reason = word(facts['reason']);
    return `${connector} went from ${word(facts['from'])} to ${word(facts['to'])}${reason === '' ? '' : `: ${reason}`}`;
  },
  'connector.pin_broken': ({ connector, facts }) =>
    `The process of ${connector} was not started: ${word(facts['reason'])}`,
  'connector.breaker_opened': ({ connector, facts }) =>
    `${connector} did not answer ${word(facts['failures'])} times in a row; calls to it fail at once for now`,
  'connector.breaker_closed': ({ connector, facts }) =>
    `${connector} answers again after ${toDuration(Number(facts['openMs']))}`,
  'credential.saved': ({ who, connector, facts }) =>
    `${who} stored a credential of ${word(facts['owner'])} for ${connector}`,
  'credential.removed': ({ who, connector, facts }) =>
    `${who} removed the credential of ${word(facts['owner'])} for ${connector}`,
  'account.needs_sign_in': ({ connector, facts }) =>
    `The account of ${word(facts['owner'])} for ${connector} needs a sign-in: ${word(facts['reason'])}`,
  'account.failed': ({ connector, facts }) =>
    `The account of ${word(facts['owner'])} for ${connector} failed: ${word(facts['reason'])}`,
  'admin.added': ({ who, facts }) => `${who} added admin ${word(facts['admin'])} as ${word(facts['role'])}`,
  'admin.removed': ({ who, facts }) => `${who} removed admin ${word(facts['admin'])}`,
  'client.registered': ({ facts }) => `The program ${word(facts['name'])} introduced itself`,
  'client.authorized': ({ who, facts }) =>
    `${who} let the program ${word(facts['name'])} act as ${word(facts['agent'])}`,
  'client.revoked': ({ who, facts }) =>
    `${who} took back what the program ${word(facts['name'])} was allowed`,
  'session.started': ({ who }) => `${who} signed in`,
  'session.ended': ({ who }) => `${who} signed out`,
  'auth.refused': ({ facts }) =>
    `Somebody was refused at the ${word(facts['surface'])} door: ${word(facts['reason'])}`,
  'events.exported': ({ who, facts }) => `${who} exported events up to number ${word(facts['upTo'])}`,
  'master_key.rotated': ({ who, facts }) =>
    `${who} rotated the master key; ${word(facts['resealed'])} secrets were sealed anew`,
  'hub.started': ({ facts }) => `The hub ${word(facts['version'])} started`,
  'hub.stopped': ({ facts }) => `The hub ${word(facts['version'])} stopped`,
  'hub.recovered': ({ facts }) =>
    `The hub came back; ${word(facts['unfinishedCalls'])} calls had been under way`,
  'config.reloaded': () => 'A changed configuration was put in force',
  'config.refused': ({ facts }) => `A changed configuration was refused: ${word(facts['reason'])}`,
};

/** An event as a sentence. */
export function describeEvent(event: EventView): string {
  const who = actorOf(event);
  const facts: Facts = event;
  const connector = word(facts['connector']);
  const verb = VERBS[event.type];
  if (verb !== undefined)
    return `${who} ${verb} ${connector || word(facts['agent']) || word(facts['policy'])}`;
  const sentence = SENTENCES[event.type];
  if (sentence !== undefined) return sentence({ who, connector, facts });
  return `${who}: ${event.type.replaceAll(/[._]/g, ' ')} ${connector || word(facts['agent'])}`.trimEnd();
}
