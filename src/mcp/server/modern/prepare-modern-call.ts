import type { RequestMessage } from '../../jsonrpc/index.js';
import type { ServerDescription } from '../../model/index.js';
import { continueTrace, readProgressToken, withoutHopMeta, type Envelope } from '../../wire/index.js';
import { checkParams } from '../check-params.js';
import type { Core } from '../core.js';
import type { ExchangeHeaders } from '../exchange.js';
import { readResume } from '../input/resume.js';
import type { Reply } from '../reply.js';
import { ModernCall } from './modern-call.js';

export interface ModernRequest {
  readonly core: Core;
  readonly message: RequestMessage;
  readonly envelope: Envelope;
  readonly description: ServerDescription;
  readonly principal: string;
  readonly reply: Reply;
  /** Of the HTTP request, where it came by one. */
  readonly headers?: ExchangeHeaders;
}

/** Makes a call of a request whose envelope and headers were found right. Throws what is wrong with its params. */
export function prepareModernCall(request: ModernRequest): ModernCall {
  const { core, message, envelope, description, principal, reply, headers } = request;
  const { id, method, params: sent = {} } = message;
  const progressToken = readProgressToken(sent);
  checkParams(method, sent);
  const resume = readResume(principal, method, sent, core.seal);
  const params = continueTrace(withoutHopMeta(resume?.params ?? sent), headers);
  const { info, capabilities, logLevel } = envelope;
  const client = { info, capabilities };
  return new ModernCall(
    { core, id, method, params, principal, client, progressToken, logLevel, reply },
    description.info,
    resume,
  );
}
