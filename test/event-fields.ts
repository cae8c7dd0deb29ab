import type { HubEvent, HubEventType } from '../src/governance/index.js';

/** The member of the union that has this type, where one member may stand for several types. */
type EventOf<Type extends HubEventType, Event = HubEvent> = Event extends { readonly type: infer Types }
  ? Type extends Types
    ? Event
    : never
  : never;

type FieldsOf<Event> = {
  readonly [Field in Exclude<keyof Event, 'type'>]-?: undefined extends Event[Field] ? 'maybe' : 'always';
};

const CALL = {
  callId: 'always',
  connector: 'always',
  target: 'always',
  exposedName: 'always',
  method: 'always',
} as const;
const ACCOUNT = { connector: 'always', owner: 'always', account: 'always' } as const;
const CHANGE = { before: 'maybe', after: 'maybe' } as const;

/**
 * Which fields each kind of event has. The compiler holds it to the union: a type or a field too many or too few, or one
 * that is no longer always there, does not compile.
 */
export const EVENT_FIELDS: { readonly [Type in HubEventType]: FieldsOf<EventOf<Type>> } = {
  'call.intended': { ...CALL, arguments: 'always', policies: 'always', trace: 'maybe', instance: 'maybe' },
  'call.finished': {
    ...CALL,
    outcome: 'always',
    error: 'maybe',
    durationMs: 'always',
    resultBytes: 'maybe',
    warnings: 'maybe',
  },
  'call.refused': {
    callId: 'always',
    exposedName: 'always',
    method: 'always',
    outcome: 'always',
    error: 'always',
    connector: 'maybe',
    policies: 'maybe',
  },
  'call.repeated': { callId: 'always', of: 'always', connector: 'always', exposedName: 'always' },
  'question.refused': { connector: 'always', method: 'always', reason: 'always', callId: 'maybe' },
  'question.reduced': { method: 'always', revision: 'always', lost: 'always', connector: 'maybe' },
  'answer.reduced': {
    connector: 'always',
    exposedName: 'always',
    method: 'always',
    revision: 'always',
    lost: 'always',
  },
  'progress.dropped': { callId: 'always', connector: 'always', count: 'always' },
  'connector.added': { connector: 'always', ...CHANGE },
  'connector.changed': { connector: 'always', ...CHANGE },
  'connector.removed': { connector: 'always', ...CHANGE },
  'connector.synced': {
    connector: 'always',
    tools: 'always',
    added: 'always',
    removed: 'always',
    changed: 'always',
    listedAs: 'always',
    held: 'maybe',
  },
  'connector.sync_failed': { connector: 'always', error: 'always', reason: 'always' },
  'connector.health': { connector: 'always', from: 'always', to: 'always', reason: 'maybe' },
  'connector.pin_broken': {
    connector: 'always',
    file: 'always',
    expected: 'always',
    found: 'maybe',
    reason: 'always',
  },
  'connector.breaker_opened': { connector: 'always', failures: 'always', reason: 'always' },
  'connector.breaker_closed': { connector: 'always', openMs: 'always' },
  'agent.added': { agent: 'always', ...CHANGE },
  'agent.changed': { agent: 'always', ...CHANGE },
  'agent.removed': { agent: 'always', ...CHANGE },
  'key.added': { agent: 'always', key: 'always', ...CHANGE },
  'key.revoked': { agent: 'always', key: 'always', ...CHANGE },
  'credential.saved': { connector: 'always', owner: 'always', ...CHANGE },
  'credential.removed': { connector: 'always', owner: 'always', ...CHANGE },
  'account.connecting': ACCOUNT,
  'account.connected': { ...ACCOUNT, issuer: 'always', scopes: 'always' },
  'account.refused': { connector: 'maybe', owner: 'maybe', account: 'maybe', error: 'always' },
  'account.renewed': ACCOUNT,
  'account.needs_sign_in': { ...ACCOUNT, reason: 'always' },
  'account.failed': { ...ACCOUNT, reason: 'always' },
  'account.chosen': ACCOUNT,
  'account.disconnected': { ...ACCOUNT, revoked: 'always' },
  'policy.changed': { policy: 'always', version: 'always', ...CHANGE },
  'config.reloaded': { reason: 'maybe', changed: 'maybe' },
  'config.refused': { reason: 'maybe', changed: 'maybe' },
  'auth.refused': { surface: 'always', reason: 'always' },
  'session.started': { session: 'always', way: 'always', role: 'maybe' },
  'session.ended': { session: 'always', reason: 'always' },
  'admin.added': { admin: 'always', role: 'always', ...CHANGE },
  'admin.removed': { admin: 'always', role: 'always', ...CHANGE },
  'master_key.rotated': { from: 'always', to: 'always', resealed: 'always', unreadable: 'always' },
  'client.registered': { client: 'always', name: 'always' },
  'client.authorized': { client: 'always', name: 'always', agent: 'always', scopes: 'always' },
  'client.revoked': { client: 'always', name: 'always', agent: 'always' },
  'events.exported': { filters: 'always', upTo: 'always' },
  'hub.started': { version: 'always' },
  'hub.stopped': { version: 'always' },
  'hub.recovered': { unfinishedCalls: 'always' },
};
