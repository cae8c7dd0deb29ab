import type { Logger } from '../kernel/index.js';
import type { ServerEvent } from '../mcp/server/index.js';

/** Failures inside are for whoever runs the hub; their texts may be those of anybody. */
export function logServerEvent(logger: Logger, event: ServerEvent): void {
  if (event.type !== 'handler_failed' && event.type !== 'port_failed')
    logger.debug({ event: event.type }, 'mcp');
  else {
    const { type, error, ...where } = event;
    logger.warn({ event: type, ...where, error: error instanceof Error ? error.name : 'unknown' }, 'mcp');
  }
}
