import type { Connector } from '../connectors/index.js';
import type { ClientWarning } from '../mcp/client/index.js';
import type { UpstreamPoolOptions } from './pool-options.js';

/** What becomes of things in a conversation that are wrong and do not stop it. */
export function hearWarnings(
  { id }: Connector,
  { logger, onQuestionRefused }: UpstreamPoolOptions,
  onOtherEra: () => void,
): (warning: ClientWarning) => void {
  const log = logger.child({ connector: id });
  return ({ code, message, method }) => {
    log.debug({ code }, message);
    if (code === 'other_era') onOtherEra();
    if (method !== undefined) onQuestionRefused?.({ connector: id, method, reason: 'undeclared' });
  };
}
