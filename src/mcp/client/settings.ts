import { withDefaults } from '../jsonrpc/index.js';
import type { ClientCapabilities, Implementation } from '../model/index.js';
import { systemClock, type Clock } from './clock.js';
import {
  DEFAULT_TIMEOUTS,
  type ClientHooks,
  type ClientOptions,
  type InputHandlers,
  type KnownSchema,
  type StandingStream,
  type Timeouts,
} from './options.js';

/** The options with everything decided. */
export interface Settings {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly requestCapabilities: ClientCapabilities;
  readonly handlers: InputHandlers;
  readonly tasks: boolean;
  readonly timeouts: Timeouts;
  readonly knownSchema: KnownSchema | undefined;
  readonly standingStream: StandingStream;
  readonly repeatReads: boolean;
  readonly maxPages: number;
  readonly formDefaults: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hooks: ClientHooks;
}

const DEFAULT_MAX_PAGES = 200;

/** Throws `RangeError` for options that make no sense. */
export function toSettings(options: ClientOptions): Settings {
  const handlers = options.handlers ?? {};
  const capabilities = options.capabilities ?? capabilitiesOf(handlers);
  return {
    info: options.info,
    capabilities,
    requestCapabilities: options.requestCapabilities ?? capabilities,
    handlers,
    tasks: options.tasks ?? false,
    timeouts: requireTimes(timesOf(options.timeouts)),
    knownSchema: options.knownSchema,
    standingStream: options.standingStream ?? { isLate: false },
    repeatReads: options.repeatReads ?? true,
    maxPages: options.maxPages ?? DEFAULT_MAX_PAGES,
    formDefaults: options.formDefaults ?? true,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    hooks: options,
  };
}

/** Who allows more for one answer than for the whole by default allows it for the whole. */
function timesOf(given: Partial<Timeouts> | undefined): Timeouts {
  const times = withDefaults(DEFAULT_TIMEOUTS, given);
  return given?.totalMs === undefined
    ? { ...times, totalMs: Math.max(times.totalMs, times.requestMs) }
    : times;
}

/** Throws `RangeError` for a time that makes no sense: nothing would ever end a wait for it. */
function requireTimes(timeouts: Timeouts): Timeouts {
  for (const name of Object.keys(DEFAULT_TIMEOUTS) as (keyof Timeouts)[])
    if (!(timeouts[name] > 0)) throw new RangeError(`${name} must be a positive number`);
  return timeouts;
}

function capabilitiesOf(handlers: InputHandlers): ClientCapabilities {
  return {
    ...(handlers.elicitation && { elicitation: {} }),
    ...(handlers.sampling && { sampling: {} }),
    ...(handlers.roots && { roots: {} }),
  };
}
