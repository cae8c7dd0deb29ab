import { z } from 'zod';

/** Shapes that occur in many answers. */

export const time = z.iso.datetime();

/** All that is ever shown of a secret. `last4` only where the secret is long enough to spare them. */
export const secretState = z
  .strictObject({ set: z.boolean(), last4: z.string().optional() })
  .meta({ id: 'SecretState' });

export const errorAnswer = z
  .strictObject({
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: 'Error' });

export const MAX_PAGE = 200;
export const DEFAULT_PAGE = 100;

/** In digits only: `Number` would also take `0x10`, `+5`, `5.0`, `1e2` and blanks. */
const pageLimit = z.preprocess(
  (text) => (typeof text === 'string' && /^[0-9]{1,9}$/.test(text) ? Number(text) : text),
  z.int({ error: 'must be a whole number' }).min(1).max(MAX_PAGE),
);

/** The query of every list. */
export const pageQuery = z.strictObject({
  limit: pageLimit.optional(),
  cursor: z.string().min(1).max(1_024).optional(),
});

/** One page; `nextCursor` is there as long as more follows. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), nextCursor: z.string().optional() });
}

/** An object of any shape, kept as it was parsed: no member is dropped, no number rounded. */
export const anyObject = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object', additionalProperties: true });

export const idText = z.string().min(1).max(64);

export type ErrorAnswer = z.infer<typeof errorAnswer>;
export type SecretState = z.infer<typeof secretState>;
export type PageQuery = z.infer<typeof pageQuery>;
