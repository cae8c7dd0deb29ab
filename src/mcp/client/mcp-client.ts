import type { JsonObject } from '../jsonrpc/index.js';
import type {
  CallResult,
  CompletionResult,
  LogLevel,
  Prompt,
  PromptResult,
  ReadResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  SubscriptionFilter,
  Task,
  Tool,
} from '../model/index.js';
import { COMPLETION, HARMLESS, PROMPT, READ, roundOf, STARTED, TOOL_CALL, UNKNOWN } from './call-plans.js';
import type { ChangeSubscription, OnChange } from './change-subscription.js';
import type { ClientCore } from './client-core.js';
import type { FollowedTask } from './followed-task.js';
import type { InputRequiredResult } from './input-rounds.js';
import { EMPTY_LISTING, readList, type Listing, type ReadItem } from './listing.js';
import type { CallOptions, RawCallOptions, RequestOptions } from './options.js';
import { modernPeer, type Peer } from './peer.js';
import { readPrompt, readResource, readResourceTemplate } from './read-offers.js';
import type { TaskCreatedResult } from './tasks.js';

/** What one round of a call brought. */
export type RawResult =
  | { readonly type: 'complete'; readonly result: JsonObject }
  | InputRequiredResult
  | TaskCreatedResult;

/** What an argument belongs to that is to be completed. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

/** The argument as far as it was typed, and those that were given already. */
export interface CompletionRequest {
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** One server, whichever era it speaks. Made by `connect`. */
export class McpClient implements AsyncDisposable {
  readonly #core: ClientCore;

  constructor(core: ClientCore) {
    this.#core = core;
  }

  /** What the server tells of itself, with the revision in use. */
  get server(): Peer {
    return this.#core.keeper.current.peer;
  }

  /** Answers that belonged to no request of ours, late ones included. */
  get unknownAnswers(): number {
    return this.#core.keeper.current.conversation.unknownAnswers;
  }

  /** All pages. A server that does not offer tools has none. */
  async listTools(options?: RequestOptions): Promise<Listing<Tool>> {
    if (!this.#offers('tools')) return EMPTY_LISTING;
    return await this.#core.listTools(options);
  }

  async listPrompts(options?: RequestOptions): Promise<Listing<Prompt>> {
    return await this.#list('prompts', 'prompts/list', 'prompts', 'name', readPrompt, options);
  }

  async listResources(options?: RequestOptions): Promise<Listing<Resource>> {
    return await this.#list('resources', 'resources/list', 'resources', 'uri', readResource, options);
  }

  async listResourceTemplates(options?: RequestOptions): Promise<Listing<ResourceTemplate>> {
    const method = 'resources/templates/list';
    return await this.#list(
      'resources',
      method,
      'resourceTemplates',
      'uriTemplate',
      readResourceTemplate,
      options,
    );
  }

  /** Never sent twice for one call, except where the server refused it without looking at it. */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#core.requester.request('tools/call', params, TOOL_CALL, options) as Promise<CallResult>;
  }

  /** The same for callers who follow tasks themselves: where the server makes one of the call, they get its handle. */
  startTool(
    name: string,
    args?: JsonObject,
    options?: CallOptions,
  ): Promise<{ readonly type: 'complete'; readonly result: CallResult } | TaskCreatedResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#core.requester.request('tools/call', params, STARTED, options) as ReturnType<
      McpClient['startTool']
    >;
  }

  /** Waits for the end of a task as `callTool` does. */
  awaitTask(task: Task, options?: CallOptions): Promise<CallResult> {
    return this.#core.awaitTask(task, options) as Promise<CallResult>;
  }

  /** A task that this server was asked for before, perhaps by another process. */
  followTask(taskId: string): FollowedTask {
    return this.#core.tasks.follow(taskId);
  }

  getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#core.requester.request('prompts/get', params, PROMPT, options) as Promise<PromptResult>;
  }

  readResource(uri: string, options?: CallOptions): Promise<ReadResult> {
    return this.#core.requester.request('resources/read', { uri }, READ, options) as Promise<ReadResult>;
  }

  complete(request: CompletionRequest, options?: RequestOptions): Promise<CompletionResult> {
    const params = request as unknown as JsonObject;
    return this.#core.requester.request(
      'completion/complete',
      params,
      COMPLETION,
      options,
    ) as Promise<CompletionResult>;
  }

  /**
   * One round of a call: what a modern server asks is handed back instead of being answered, to be continued by a call
   * with the same params and `inputResponses`, `requestState` as it came.
   */
  callRaw(method: string, params: JsonObject, options: RawCallOptions = {}): Promise<RawResult> {
    const { inputResponses, requestState } = options;
    const body = {
      ...params,
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    };
    return this.#core.requester.request(method, body, roundOf(method), options) as Promise<RawResult>;
  }

  /** Any request. It is not repeated when its session or its answer is lost. */
  request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject> {
    return this.#core.requester.request(method, params, UNKNOWN, options) as Promise<JsonObject>;
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    const connection = await this.#core.keeper.open();
    await connection.notify(method, params);
  }

  /** Which log messages to send: from now on (legacy), with each request (modern). */
  async setLogLevel(level: LogLevel, options?: RequestOptions): Promise<void> {
    await this.#core.setLogLevel(level, options);
  }

  /** Hears of changes until closed, over interruptions. Types that the server does not offer are left out. */
  async subscribe(
    filter: SubscriptionFilter,
    onChange: OnChange,
    options?: Pick<RequestOptions, 'signal'>,
  ): Promise<ChangeSubscription> {
    return await this.#core.subscribe(filter, onChange, options?.signal);
  }

  /**
   * Calls once when the server tells that the page of an elicitation was visited, at once if it has. The returned function
   * ends the wait.
   */
  onVisited(elicitationId: string, listener: () => void): () => void {
    return this.#core.pages.on(elicitationId, listener);
  }

  /** Resolves if the server answers. A modern server is asked what it is, which renews `server`. */
  async ping(options?: RequestOptions): Promise<void> {
    const { peer } = await this.#core.keeper.open();
    if (peer.era === 'legacy') {
      await this.#core.requester.request('ping', undefined, HARMLESS, options);
      return;
    }
    const result = await this.#core.requester.request('server/discover', undefined, HARMLESS, options);
    this.#core.keeper.current.settle(modernPeer(peer.revision, result as JsonObject));
  }

  /** Ends the session and the connection. Pending requests fail. */
  async close(): Promise<void> {
    await this.#core.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #list<Item>(
    capability: keyof ServerCapabilities & string,
    method: string,
    member: string,
    key: string,
    read: ReadItem<Item>,
    options: RequestOptions | undefined,
  ): Promise<Listing<Item>> {
    if (!this.#offers(capability)) return EMPTY_LISTING;
    const page = (cursor: string | undefined): Promise<JsonObject> =>
      this.#core.page(method, cursor, options);
    return await readList({ member, key, read, page, maxPages: this.#core.settings.maxPages });
  }

  #offers(capability: string): boolean {
    return this.server.capabilities[capability] !== undefined;
  }
}
