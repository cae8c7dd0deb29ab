/** What happened inside the server that no answer tells. For counters and logs; holds no ids, headers or bodies. */
export type ServerEvent =
  /** A handler threw something that is no protocol error, or returned what cannot be sent. */
  | { readonly type: 'handler_failed'; readonly method: string; readonly error: unknown }
  /** A port (session store, event store, listen, describe) failed. */
  | { readonly type: 'port_failed'; readonly port: string; readonly error: unknown }
  | { readonly type: 'notification_dropped'; readonly reason: DropReason }
  /** The client went away before it could be told the answer. */
  | { readonly type: 'answer_lost'; readonly method: string }
  /** Some of the content of an answer became text, because the client's revision does not know it. */
  | {
      readonly type: 'answer_reduced';
      readonly method: string;
      readonly principal: string;
      readonly name: string;
      readonly revision: string;
      readonly lost: readonly string[];
    }
  /** A question was asked without what the client's revision cannot carry. */
  | {
      readonly type: 'question_reduced';
      /** Of the question, and of the request in whose course it was asked. */
      readonly question: string;
      readonly method: string;
      readonly principal: string;
      /** Name or address in that request. */
      readonly name: string;
      readonly revision: string;
      readonly lost: readonly string[];
    }
  /** A client answered a request that nobody waits for. */
  | { readonly type: 'unknown_response' }
  /** A client did not read its stream; the stream was closed. */
  | { readonly type: 'stream_stalled' }
  | { readonly type: 'limit_reached'; readonly limit: LimitName }
  /** By its client, or by taking up one that another process opened. Each has one end. */
  | { readonly type: 'session_opened' }
  | { readonly type: 'session_ended'; readonly reason: SessionEndReason }
  /** A request of a session names another version than the session agreed on. */
  | { readonly type: 'revision_differs' };

/** `rate`: too many a second; `slow`: the peer reads too slowly; `unheard`: no stream to send it on; `queue`: too many waiting. */
export type DropReason = 'rate' | 'slow' | 'unheard' | 'queue';
export type LimitName =
  | 'sessions'
  | 'in_flight'
  | 'streams'
  | 'listens'
  | 'batch'
  | 'subscriptions'
  | 'rounds';
export type SessionEndReason = 'deleted' | 'expired' | 'closed';
