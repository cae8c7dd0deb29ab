import type { QueryClient } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import type { EventView } from '../../../src/contract/index.js';

export type LiveState = 'connecting' | 'live' | 'lost';

/** Which answers are no longer good after an event, by the beginning of its type. */
const TOUCHED: readonly (readonly [string, readonly string[]])[] = [
  ['call.', ['statistics']],
  ['connector.health', ['connectors', 'status']],
  ['connector.', ['connectors', 'tools', 'status']],
  ['credential.', ['connectors', 'tools']],
  ['account.', ['connectors', 'tools', 'agents']],
  ['agent.', ['agents', 'tools', 'status']],
  ['key.', ['agents']],
  ['policy.', ['policies', 'tools', 'status']],
  ['config.', ['connectors', 'tools', 'agents', 'policies', 'status']],
  ['admin.', ['admins']],
  ['client.', ['clients']],
  ['master_key.', ['master-key']],
  ['hub.', ['status']],
];

/** Events come in bursts: what they touch is fetched once for all that came meanwhile. */
const GATHER_MS = 400;
const BUSY_GATHER_MS = 2_000;
const RECONNECT_MS = 3_000;

/**
 * The event stream of the hub, one for the whole console. It is closed while nobody looks, because a browser grants few
 * connections to one host; what was missed is fetched on return.
 */
export class LiveEvents {
  readonly #client: QueryClient;
  readonly #states = new Set<() => void>();
  readonly #events = new Set<(event: EventView) => void>();
  #source: EventSource | undefined;
  #state: LiveState = 'connecting';
  #touched = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reconnect: ReturnType<typeof setTimeout> | undefined;
  #wasOpen = false;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  get state(): LiveState {
    return this.#state;
  }

  start(): () => void {
    const look = (): void => (document.hidden ? this.#close() : this.#open());
    document.addEventListener('visibilitychange', look);
    look();
    return () => {
      document.removeEventListener('visibilitychange', look);
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#close();
    };
  }

  onState(listener: () => void): () => void {
    this.#states.add(listener);
    return () => this.#states.delete(listener);
  }

  onEvent(listener: (event: EventView) => void): () => void {
    this.#events.add(listener);
    return () => this.#events.delete(listener);
  }

  #open(): void {
    if (this.#source !== undefined) return;
    const source = new EventSource(ROUTES.events.stream.path, { withCredentials: true });
    this.#source = source;
    source.addEventListener('open', () => {
      // Whatever happened while there was no stream.
      if (this.#wasOpen) void this.#client.invalidateQueries();
      this.#wasOpen = true;
      this.#become('live');
    });
    source.addEventListener('error', () => {
      this.#become('lost');
      // An answer other than a stream ends it for good; the browser tries again only after lost connections.
      if (source.readyState !== EventSource.CLOSED || this.#source !== source) return;
      this.#source = undefined;
      // It may be that who is signed in no longer is: whoever asks is then taken to where one signs in.
      void this.#client.invalidateQueries({ queryKey: ['session'] });
      this.#reconnect = setTimeout(() => this.#open(), RECONNECT_MS);
    });
    source.addEventListener('message', ({ data }) => this.#hear(JSON.parse(String(data)) as EventView));
  }

  #close(): void {
    clearTimeout(this.#reconnect);
    this.#source?.close();
    this.#source = undefined;
  }

  #become(state: LiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#states) listener();
  }

  #hear(event: EventView): void {
    for (const listener of this.#events) listener(event);
    const keys = TOUCHED.find(([beginning]) => event.type.startsWith(beginning))?.[1] ?? [];
    for (const key of [...keys, 'events']) this.#touched.add(key);
    this.#timer ??= setTimeout(
      () => this.#refresh(),
      event.type.startsWith('call.') ? BUSY_GATHER_MS : GATHER_MS,
    );
  }

  #refresh(): void {
    this.#timer = undefined;
    const touched = this.#touched;
    this.#touched = new Set();
    for (const key of touched) {
      if (key === 'events') void this.#client.invalidateQueries({ queryKey: ['events', 'recent'] });
      else void this.#client.invalidateQueries({ queryKey: [key] });
    }
    if (touched.has('events')) void this.#client.invalidateQueries({ queryKey: ['events', 'call'] });
  }
}
