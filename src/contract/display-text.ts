import { z } from 'zod';

/** Shown to people: any script, but nothing that moves a cursor. */
export const displayText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');
