import { z } from 'zod';
import { configInput } from '../../contract/index.js';

/** The configuration file as JSON Schema, for editors. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(configInput, { io: 'input', target: 'draft-7' });
  return { ...schema, title: 'Crosspoint configuration' };
}
