import type { Json, JsonObject, NotificationMessage } from '../jsonrpc/index.js';
import {
  declaresTasks,
  supportsTasks,
  type LogLevel,
  type SubscriptionFilter,
  type Task,
  type Tool,
} from '../model/index.js';
import type { TransportError } from '../transports/index.js';
import { Call } from './call.js';
import { HARMLESS, PAGE, TOOL_CALL } from './call-plans.js';
import { isEmptyFilter, offeredPart } from './change-filter.js';
import type { ChangeSubscription, OnChange } from './change-subscription.js';
import { ClientError } from './client-error.js';
import type { Connection, ConnectionHost } from './connection.js';
import { ConnectionKeeper, type KeeperParts } from './connection-keeper.js';
import { InputDesk } from './input-desk.js';
import { InputRounds } from './input-rounds.js';
import { LegacySubscriptions } from './legacy-subscriptions.js';
import { ListenSubscription } from './listen-subscription.js';
import { readList, type Listing } from './listing.js';
import { NotificationDesk } from './notification-desk.js';
import type { CallOptions, ClientWarning, RequestOptions } from './options.js';
import { readTool } from './read-offers.js';
import { Requester } from './requester.js';
import type { Settings } from './settings.js';
import { Tasks } from './tasks.js';
import { ToolHeaders } from './tool-headers.js';
import { VisitedPages } from './visited-pages.js';

/** The parts of a client, put together. */
export class ClientCore implements ConnectionHost {
  readonly settings: Settings;
  readonly requester: Requester;
  readonly tasks: Tasks;
  readonly pages = new VisitedPages();
  readonly #notifications: NotificationDesk;
  readonly #legacySubscriptions: LegacySubscriptions;
  readonly #listens = new Set<ListenSubscription>();
  readonly #toolHeaders: ToolHeaders;
  #keeper: ConnectionKeeper | undefined;
  #logLevel: LogLevel | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#toolHeaders = new ToolHeaders(settings.knownSchema);
    this.requester = new Requester({
      settings,
      keeper: () => this.keeper,
      toolHeaders: this.#toolHeaders,
      unfinished: {
        inputRequired: (call, requests, state) => {
          rounds.inputRequired(call, requests, state);
        },
        taskCreated: (call, task) => {
          tasks.taskCreated(call, task);
        },
      },
      refreshTools: (signal) => this.listTools(signal && { signal }),
    });
    const rounds = new InputRounds(settings, new InputDesk(settings), this.requester);
    const warn = (warning: ClientWarning): void => this.warned(warning);
    const tasks = new Tasks(settings, this.requester, rounds, () => this.keeper.current.peer.era, warn);
    this.tasks = tasks;
    this.#legacySubscriptions = new LegacySubscriptions(this.requester, warn);
    this.#notifications = new NotificationDesk(settings.hooks, this.#legacySubscriptions, this.pages);
  }

  get keeper(): ConnectionKeeper {
    if (this.#keeper === undefined) throw new ClientError('closed', 'the client is not connected');
    return this.#keeper;
  }

  attach(first: Connection, parts: Pick<KeeperParts, 'reopen' | 'pinned'>): void {
    const { settings } = this;
    this.#keeper = new ConnectionKeeper(first, {
      ...parts,
      settings,
      renewed: (connection) => {
        void this.#renew(connection);
      },
    });
  }

  async listTools(options: RequestOptions | undefined): Promise<Listing<Tool>> {
    const { era, overHttp } = this.#surroundings();
    // Over HTTP a tool with unusable header annotations cannot be called; other transports have no headers.
    const headersMatter = era === 'modern' && overHttp;
    const listing = await readList<Tool>({
      member: 'tools',
      key: 'name',
      read: (entry) => {
        const tool = readTool(entry);
        return typeof tool === 'string' || !headersMatter ? tool : (ToolHeaders.reject(tool) ?? tool);
      },
      page: (cursor) => this.page('tools/list', cursor, options),
      maxPages: this.settings.maxPages,
    });
    if (headersMatter) this.#toolHeaders.learn(listing.items);
    return listing;
  }

  page(method: string, cursor: string | undefined, options: RequestOptions | undefined): Promise<JsonObject> {
    const params = cursor === undefined ? undefined : { cursor };
    return this.requester.request(method, params, PAGE, options) as Promise<JsonObject>;
  }

  /** A call of ours that is settled by a task instead of an answer. */
  awaitTask(task: Task, options: CallOptions | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = new Call('tools/call', undefined, TOOL_CALL, options, this.requester, resolve, reject);
      if (this.requester.admits(call)) void this.tasks.watch(call, task);
    });
  }

  async setLogLevel(level: LogLevel, options: RequestOptions | undefined): Promise<void> {
    this.#logLevel = level;
    const { peer } = await this.keeper.open();
    if (peer.era === 'modern') this.requester.logLevel = level;
    else if (peer.capabilities.logging !== undefined) {
      await this.requester.request('logging/setLevel', { level }, HARMLESS, options);
    }
  }

  async subscribe(
    filter: SubscriptionFilter,
    onChange: OnChange,
    signal: AbortSignal | undefined,
  ): Promise<ChangeSubscription> {
    const { settings, requester } = this;
    const { peer } = await this.keeper.open();
    if (peer.era === 'legacy')
      return await this.#legacySubscriptions.add(filter, onChange, peer.capabilities, signal);
    const offered = offeredPart(
      filter,
      peer.capabilities,
      declaresTasks(settings.capabilities) || (settings.tasks && supportsTasks(peer.capabilities)),
    );
    const subscription = new ListenSubscription({
      settings,
      requester,
      filter: offered,
      onChange,
      warn: (warning) => {
        this.warned(warning);
      },
      closed: (ended) => {
        this.#listens.delete(ended);
      },
    });
    if (isEmptyFilter(offered)) return subscription;
    this.#listens.add(subscription);
    await subscription.open(signal);
    return subscription;
  }

  async close(): Promise<void> {
    for (const subscription of this.#listens) subscription.close();
    this.#legacySubscriptions.close();
    const error = new ClientError('closed', 'the client was closed');
    this.requester.close(error);
    await this.keeper.close(error);
  }

  answered(connection: Connection, call: Call, result: Json): void {
    this.requester.answered(connection, call, result);
  }

  failed(connection: Connection, call: Call, error: Error): void {
    this.requester.failed(connection, call, error);
  }

  notified(connection: Connection, notification: NotificationMessage, during: Call | undefined): void {
    this.#notifications.receive(connection, notification, during);
  }

  sessionLost(connection: Connection): void {
    this.#keeper?.sessionLost(connection, 'certain');
  }

  lost(connection: Connection, reason: TransportError): void {
    this.#keeper?.connectionLost(connection, reason);
  }

  warned(warning: ClientWarning): void {
    this.#notifications.warn(warning);
  }

  #surroundings(): { readonly era: 'legacy' | 'modern'; readonly overHttp: boolean } {
    const { peer, transport } = this.keeper.current;
    return { era: peer.era, overHttp: transport.carriesHeaders };
  }

  /** Tells a new session what the old one knew. */
  async #renew(connection: Connection): Promise<void> {
    const { peer } = connection;
    if (peer.era === 'modern') return;
    const level = this.#logLevel;
    if (level !== undefined && peer.capabilities.logging !== undefined) {
      await this.requester.request('logging/setLevel', { level }, HARMLESS, undefined).catch(() => {
        this.warned({ code: 'refused_request', message: 'the log level could not be set again' });
      });
    }
    await this.#legacySubscriptions.renew();
  }
}
