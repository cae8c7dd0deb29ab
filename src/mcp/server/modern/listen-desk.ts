import { INTERNAL_ERROR, METHOD_NOT_FOUND, ProtocolError, type RequestMessage } from '../../jsonrpc/index.js';
import {
  declaresTasks,
  TASKS_EXTENSION,
  type ServerDescription,
  type SubscriptionFilter,
} from '../../model/index.js';
import { missingCapability, type Envelope } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Listen } from '../handler.js';
import { whenReady } from '../maybe-promise.js';
import { ListenCall, type ListenOutlet } from './listen-call.js';
import { coveredBy, readFilter } from './subscription-filter.js';

export interface ListenInit {
  readonly principal: string;
  readonly message: RequestMessage;
  readonly envelope: Envelope;
  readonly description: ServerDescription;
  readonly outlet: ListenOutlet;
}

/** Admits listening clients, up to a number, and ends them together. */
export class ListenDesk {
  readonly #core: Core;
  readonly #calls = new Map<ListenCall, string>();
  readonly #perPrincipal = new Map<string, number>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** Throws what is wrong with the request as a whole; what is wrong with its params is told to the outlet. */
  start(init: ListenInit): ListenCall {
    const { listen, cache } = this.#core;
    if (listen === undefined) throw new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
    const call = new ListenCall(init.message.id, init.outlet, init.description.info, cache);
    try {
      const filter = readFilter(init.message.params);
      if (filter.taskIds !== undefined && !declaresTasks(init.envelope.capabilities)) {
        throw missingCapability('Tasks were not declared', { extensions: { [TASKS_EXTENSION]: {} } });
      }
      this.#admit(call, init.principal);
      this.#listen(listen, call, init, coveredBy(filter, init.description.capabilities));
    } catch (error) {
      this.#failed(call, init.outlet, error);
    }
    return call;
  }

  end(call: ListenCall): void {
    call.close();
    this.#forget(call);
  }

  /** Every listening client gets its result. */
  completeAll(): void {
    for (const call of this.#calls.keys()) {
      this.#forget(call);
      call.complete();
    }
  }

  #listen(
    listen: Listen,
    call: ListenCall,
    { principal, outlet, envelope: { capabilities } }: ListenInit,
    filter: SubscriptionFilter,
  ): void {
    whenReady(
      listen({ principal, capabilities, filter, emit: (notification) => call.emit(notification) }),
      (subscription) => call.acknowledge(subscription),
      (error) => this.#failed(call, outlet, error),
    );
  }

  #admit(call: ListenCall, principal: string): void {
    const own = this.#perPrincipal.get(principal) ?? 0;
    if (this.#calls.size >= this.#core.limits.listens || own >= this.#core.limits.listensPerPrincipal) {
      this.#core.observe({ type: 'limit_reached', limit: 'listens' });
      throw new ProtocolError(INTERNAL_ERROR, 'Too many open subscriptions');
    }
    this.#calls.set(call, principal);
    this.#perPrincipal.set(principal, own + 1);
  }

  #failed(call: ListenCall, outlet: ListenOutlet, error: unknown): void {
    const wasOver = call.over;
    this.end(call);
    if (!(error instanceof ProtocolError)) this.#core.observe({ type: 'port_failed', port: 'listen', error });
    if (wasOver) return;
    outlet.refuse(
      error instanceof ProtocolError ? error : new ProtocolError(INTERNAL_ERROR, 'Internal error'),
    );
  }

  #forget(call: ListenCall): void {
    const principal = this.#calls.get(call);
    if (principal === undefined) return;
    this.#calls.delete(call);
    const left = (this.#perPrincipal.get(principal) ?? 1) - 1;
    if (left === 0) this.#perPrincipal.delete(principal);
    else this.#perPrincipal.set(principal, left);
  }
}
