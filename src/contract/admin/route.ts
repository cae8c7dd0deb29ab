import type { z } from 'zod';

/** Below this everything is the admin API. */
export const ADMIN_BASE_PATH = '/api/v1';

/** From least to most: look, run connectors, decide who may do what. */
export const ADMIN_ROLES = ['viewer', 'operator', 'owner'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** One thing the admin API can be asked, as data. Paths are relative to `ADMIN_BASE_PATH`. */
export interface AdminRoute<Path extends string = string, Query = unknown, Body = unknown, Answer = unknown> {
  /** Unique; the operation id of the description. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: Path;
  /** The least role that may ask. */
  readonly role: AdminRole;
  readonly summary: string;
  /** What may stand behind the question mark; undefined: nothing. */
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Whether a request without a body is one with an empty object. */
  readonly bodyOptional?: boolean;
  /** Whether the arguments of a tool stand in the body: they may be as many as a client's. */
  readonly takesArguments?: boolean;
  /** Undefined: an answer without a body. */
  readonly answer?: z.ZodType<Answer>;
  readonly answers: 'json' | 'nothing' | 'event_stream' | 'lines';
  /** Of an answer in lines: one JSON document to a line, each as soon as it is known. */
  readonly line?: z.ZodType;
  /** What is told on the way to an answer, for who accepts `text/event-stream`. */
  readonly streams?: z.ZodType;
  /** Whether an answer may be 201; otherwise it is 200, or 204 without a body. */
  readonly creates?: 'always' | 'maybe';
  /** Whether it takes a token: a browser's session could prolong itself with it. */
  readonly tokenOnly?: boolean;
  /** Whether `If-Match` is looked at. */
  readonly conditional?: boolean;
}

type Described<Path extends string, Query, Body, Answer> = Omit<
  AdminRoute<Path, Query, Body, Answer>,
  'answers'
> & {
  readonly answers?: 'event_stream' | 'lines';
};

/** Fills in what follows from the rest. */
export function defineRoute<
  const Path extends string,
  Query = Readonly<Record<string, never>>,
  Body = undefined,
  Answer = undefined,
>(route: Described<Path, Query, Body, Answer>): AdminRoute<Path, Query, Body, Answer> {
  return { ...route, answers: route.answers ?? (route.answer === undefined ? 'nothing' : 'json') };
}

/** The names in braces of a path. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;
