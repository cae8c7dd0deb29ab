import type { ErrorObject, Json, JsonObject } from '../jsonrpc/index.js';

/** What a server may ask of a client in the course of a request. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: JsonObject;
}

/** Whether a question sends somebody to where nobody may be sent: pages are of the web, never a script or a file. */
export function leadsAstray({ method, params }: InputRequest): boolean {
  return method === 'elicitation/create' && params?.['mode'] === 'url' && !isWebPage(params['url']);
}

export function isWebPage(address: unknown): boolean {
  return typeof address === 'string' && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/** Whether an updated resource is one that was asked for, or a part of it; `note://10` is none of `note://1`. */
export function isPartOfResource(asked: string, uri: string): boolean {
  if (!uri.startsWith(asked)) return false;
  return uri.length === asked.length || /[/?#]$/.test(asked) || /^[/?#]/.test(uri.slice(asked.length));
}

/** By keys that the asker chose. */
export type InputRequests = Readonly<Record<string, InputRequest>>;
/** The bare results, by the keys of the requests they answer. */
export type InputResponses = Readonly<Record<string, JsonObject>>;

/** Errors that came instead of answers. */
export type InputRefusals = Readonly<Record<string, ErrorObject>>;

/** How far a request is. Members that are not listed here are kept. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  readonly [extra: string]: unknown;
}

export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
/** From `debug` to `emergency`. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A log message of a server. Members that are not listed here are kept. */
export interface LogMessage {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: Json;
  readonly [extra: string]: unknown;
}

export function isLogLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

/** Whether a message of `level` is to be shown to someone who asked for `threshold` and above. */
export function reachesLevel(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}

/** Which changes somebody wants to hear of. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

/** A change a server tells of. The method names are the same in every revision. */
export interface ChangeNotification {
  readonly method:
    | 'notifications/tools/list_changed'
    | 'notifications/prompts/list_changed'
    | 'notifications/resources/list_changed'
    | 'notifications/resources/updated'
    | 'notifications/tasks';
  readonly params?: JsonObject;
}
