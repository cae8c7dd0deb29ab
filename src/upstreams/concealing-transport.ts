import { isObject, stringifyAndKeep, stringifyJson, type Message } from '../mcp/jsonrpc/index.js';
import type { Receiver, Transport } from '../mcp/transports/index.js';
import { conceal, concealMembers, concealText, mayHold } from './conceal.js';
import type { ShownSecret, ShownSecrets } from './shown-secrets.js';

/** The same transport, over which nothing arrives that the upstream was shown to let us in. */
export function concealing(transport: Transport, secrets: ShownSecrets): Transport {
  if (secrets.isEmpty) return transport;
  const { carriesHeaders } = transport;
  return {
    carriesHeaders,
    start: (receiver) => transport.start(new ConcealingReceiver(receiver, secrets)),
    send: (message) => transport.send(message),
    ...(transport.abort && { abort: (id) => transport.abort?.(id) }),
    setRevision: (revision) => transport.setRevision(revision),
    openServerStream: () => transport.openServerStream(),
    close: () => transport.close(),
  };
}

class ConcealingReceiver implements Receiver {
  readonly #receiver: Receiver;
  readonly #secrets: ShownSecrets;
  readonly progress: Receiver['progress'];

  constructor(receiver: Receiver, secrets: ShownSecrets) {
    this.#receiver = receiver;
    this.#secrets = secrets;
    if (receiver.progress === undefined) return;
    this.progress = (progress, during) => {
      const message = progress.message && concealText(progress.message, secrets.all);
      if (message === progress.message) return receiver.progress?.(progress, during);
      const { token, progress: reached, total } = progress;
      receiver.progress?.({ token, progress: reached, total, message }, during);
    };
  }

  message(message: Message, during: Parameters<Receiver['message']>[1], status?: number): void {
    this.#receiver.message(concealMessage(message, this.#secrets.all), during, status);
  }

  badAnswer(id: Parameters<NonNullable<Receiver['badAnswer']>>[0]): void {
    this.#receiver.badAnswer?.(id);
  }

  ignoresLog(during: Parameters<Receiver['message']>[1]): boolean {
    return this.#receiver.ignoresLog?.(during) === true;
  }

  sessionLost(): void {
    this.#receiver.sessionLost?.();
  }

  closed(reason: Parameters<Receiver['closed']>[0]): void {
    this.#receiver.closed(reason);
  }

  warn(warning: Parameters<Receiver['warn']>[0]): void {
    this.#receiver.warn(warning);
  }
}

function concealMessage(message: Message, secrets: readonly ShownSecret[]): Message {
  switch (message.kind) {
    case 'result': {
      const { result } = message;
      // For most results the text is at hand, and for the others it will be wanted.
      const text = isObject(result) ? stringifyAndKeep(result) : stringifyJson(result);
      return mayHold(text, secrets) ? { ...message, result: conceal(result, secrets) } : message;
    }
    case 'error': {
      const { error } = message;
      if (!mayHold(stringifyJson(error), secrets)) return message;
      const data = error.data === undefined ? {} : { data: conceal(error.data, secrets) };
      return { ...message, error: { ...error, message: concealText(error.message, secrets), ...data } };
    }
    case 'request':
    case 'notification': {
      const { params } = message;
      if (params === undefined || !mayHold(stringifyJson(params), secrets)) return message;
      return { ...message, params: concealMembers(params, secrets) };
    }
  }
}
