import type { Resource } from '@opentelemetry/resources';
import type { Logger } from '../../kernel/index.js';
import type { OtlpSettings } from '../otlp-settings.js';

/** What is said with everything that is sent, and who is told if it cannot be. */
export interface Sending {
  readonly settings: OtlpSettings;
  readonly resource: Resource;
  readonly logger: Logger;
}
