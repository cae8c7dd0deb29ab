import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  ProtocolError,
  stringifyJson,
  writeResult,
  type JsonObject,
  type RequestMessage,
} from '../../jsonrpc/index.js';
import type { ServerDescription } from '../../model/index.js';
import { HEADER_SESSION, toLegacyCapabilities, type LegacyRevision } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import { sendError, sendResult, withHeader } from '../http/answers.js';
import type { Accepted } from '../http/media-types.js';
import { whenReady } from '../maybe-promise.js';
import type { SessionFinder } from './find-session.js';
import { readInitialize, type Initialize } from './read-initialize.js';
import type { SessionDesk } from './session-desk.js';

/** Answers `initialize`. */
export class Handshake {
  readonly #core: Core;
  readonly #sessions: SessionDesk;
  readonly #finder: SessionFinder;
  readonly #stateless: boolean;

  constructor(core: Core, sessions: SessionDesk, finder: SessionFinder, stateless: boolean) {
    this.#core = core;
    this.#sessions = sessions;
    this.#finder = finder;
    this.#stateless = stateless;
  }

  begin(exchange: Exchange, principal: string, message: RequestMessage, accepted: Accepted): void {
    const named = exchange.headers[HEADER_SESSION];
    if (named === undefined || this.#stateless) {
      this.#describe(exchange, principal, message, accepted);
      return;
    }
    // An id that is no session of this principal is ignored. It is never adopted.
    whenReady(
      this.#sessions.find(principal, named),
      (live) => {
        if (live === undefined) this.#describe(exchange, principal, message, accepted);
        else
          sendError(
            exchange,
            400,
            message.id,
            new ProtocolError(INVALID_REQUEST, 'The session is initialised already'),
          );
      },
      (error) => this.#finder.failed(exchange, message.id, error),
    );
  }

  #describe(exchange: Exchange, principal: string, message: RequestMessage, accepted: Accepted): void {
    whenReady(
      this.#core.describe(principal),
      (description) => this.#answer(exchange, principal, message, accepted, description),
      (error) => this.#finder.failed(exchange, message.id, error),
    );
  }

  #answer(
    exchange: Exchange,
    principal: string,
    message: RequestMessage,
    accepted: Accepted,
    description: ServerDescription,
  ): void {
    let said: Initialize;
    try {
      said = readInitialize(message.params, this.#core.oldestRevision);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      sendError(exchange, 200, message.id, error);
      return;
    }
    const told = this.#stateless ? withoutChanges(description) : description;
    const text = writeResult(message.id, writeInitializeResult(said.revision, told));
    if (this.#stateless) {
      sendResult(exchange, accepted, text);
      return;
    }
    whenReady(
      this.#sessions.open(principal, said.revision, said.client, description),
      (session) => {
        if (session === undefined) {
          const error = new ProtocolError(INTERNAL_ERROR, 'Too many sessions');
          sendError(exchange, 429, message.id, error, withHeader('retry-after', '60'));
        } else {
          sendResult(exchange, accepted, text, { [HEADER_SESSION]: session.record.id });
        }
      },
      (error) => this.#finder.failed(exchange, message.id, error),
    );
  }
}

/** Whoever has no session can be told of nothing later, and nothing is remembered for it. */
function withoutChanges(description: ServerDescription): ServerDescription {
  const { logging: _logging, ...rest } = description.capabilities;
  const capabilities = {
    ...rest,
    ...(rest.tools && { tools: {} }),
    ...(rest.prompts && { prompts: {} }),
    ...(rest.resources && { resources: {} }),
  };
  return { ...description, capabilities };
}

export function writeInitializeResult(revision: LegacyRevision, description: ServerDescription): string {
  const { capabilities, info, instructions } = description;
  const result: JsonObject = {
    protocolVersion: revision,
    capabilities: toLegacyCapabilities(capabilities, revision) as JsonObject,
    serverInfo: info as unknown as JsonObject,
    ...(instructions !== undefined && { instructions }),
  };
  return stringifyJson(result);
}
