import { startTests, type File, type Task, type Test } from '@vitest/runner';
import { TestRunner, vi } from 'vitest';
import type { MutantOutcome } from './mutant.js';
import { TrialLog } from './trial-log.js';

/** What the changed code and its tests share. The code makes it, with these names, if it is not there. */
interface Switchboard {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

/** What vitest keeps in a runner but does not declare. */
interface RunnerInside {
  readonly moduleRunner: { import(path: string): Promise<unknown> };
  readonly workerState: {
    readonly evaluatedModules: {
      getModuleById(id: string): object | undefined;
      invalidateModule(module: object): void;
    };
  };
  readonly _otel: unknown;
}

/** A test that takes longer than this with a change, and much longer than without, will not end. */
const PATIENCE_MS = 4_000;
const PATIENCE_FACTOR = 10;
const HIT_FACTOR = 200;
const FOLDER = process.env['MUTATION_FOLDER'] ?? '';

const scope = globalThis as { __stryker__?: Switchboard };
const board = (scope.__stryker__ ??= {});

/**
 * Runs a file of tests as it is and notes which test reaches which change. Then again for each change, with the tests
 * that reach it, all in one process: loading everything anew each time would take a hundred times as long.
 */
export default class MutantRunner extends TestRunner {
  override onBeforeTryTask(test: Task): void {
    board.currentTestId = test.id;
    super.onBeforeTryTask(test);
  }

  override onAfterRunTask(test: Task): void {
    board.currentTestId = undefined;
    super.onAfterRunTask(test);
  }

  // oxlint-disable-next-line typescript/no-misused-promises -- vitest waits for it, whatever its declaration says
  override async onAfterRunFiles(files?: File[]): Promise<void> {
    super.onAfterRunFiles();
    for (const file of files ?? []) {
      if (file.result?.state === 'pass') await new Trial(this, file).run();
    }
  }
}

/** The same without anybody who is told, and only the tests that are wanted, until one fails. */
class QuietRunner extends TestRunner {
  wanted: ReadonlySet<string> | undefined;
  failed: string | undefined;

  override importFile(path: string): unknown {
    const { moduleRunner, workerState } = this as unknown as RunnerInside;
    const module = workerState.evaluatedModules.getModuleById(path);
    if (module !== undefined) workerState.evaluatedModules.invalidateModule(module);
    return moduleRunner.import(path);
  }

  override async onBeforeRunTask(test: Task): Promise<void> {
    const isWanted = this.failed === undefined && (this.wanted === undefined || this.wanted.has(test.id));
    if (!isWanted) test.mode = 'skip';
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: Task): void {
    if (test.result?.state === 'fail') this.failed ??= test.id;
    super.onAfterRunTask(test);
  }
}

interface Reach {
  /** Undefined: everything, for it is reached while modules are loaded or something is prepared for all tests. */
  readonly tests: ReadonlySet<string> | undefined;
  readonly hits: number;
}

/** One file of tests against all changes that it reaches. */
class Trial {
  readonly #config: TestRunner['config'];
  readonly #inside: RunnerInside;
  readonly #file: File;
  readonly #slowestMs: number;

  constructor(outer: TestRunner, file: File) {
    this.#config = outer.config;
    this.#inside = outer as unknown as RunnerInside;
    this.#file = file;
    this.#slowestMs = Math.max(...testsOf(file).map((test) => test.result?.duration ?? 0));
  }

  async run(): Promise<void> {
    const log = new TrialLog(FOLDER, this.#file.filepath);
    for (const [id, reach] of reachedMutants()) {
      if (log.knows(id)) continue;
      log.begin(id);
      const failed = await this.#try(id, reach);
      log.end(id, failed?.outcome ?? 'survived');
      // Another process goes on where this one is not fit to any more.
      if (failed !== undefined && !(await this.#isSound(failed.test))) return;
    }
    log.done();
  }

  async #try(
    id: string,
    { tests, hits }: Reach,
  ): Promise<{ readonly test: string; readonly outcome: MutantOutcome } | undefined> {
    const isStatic = tests === undefined;
    board.activeMutant = id;
    board.hitCount = 0;
    board.hitLimit = hits * HIT_FACTOR + 10_000;
    const begunAt = performance.now();
    const failed = await this.#runTests(tests, isStatic);
    const tookMs = performance.now() - begunAt;
    board.activeMutant = undefined;
    board.hitCount = undefined;
    if (isStatic) vi.resetModules();
    return failed === undefined
      ? undefined
      : { test: failed, outcome: tookMs >= this.#patienceMs ? 'timed_out' : 'killed' };
  }

  /** A test that found a change must be content without it. */
  async #isSound(failed: string): Promise<boolean> {
    const tests = failed === '' ? undefined : new Set([failed]);
    const once = await this.#runTests(tests, false);
    return once === undefined || (await this.#runTests(tests, true)) === undefined;
  }

  /** The id of a test that failed; empty if something around the tests did. */
  async #runTests(wanted: Reach['tests'], anew: boolean): Promise<string | undefined> {
    if (anew) vi.resetModules();
    vi.useRealTimers();
    const limits = { testTimeout: this.#patienceMs, hookTimeout: this.#patienceMs };
    const runner = new QuietRunner({ ...this.#config, ...limits });
    runner.wanted = wanted;
    Object.defineProperty(runner, 'moduleRunner', { value: this.#inside.moduleRunner });
    runner.__setTraces(this.#inside._otel as Parameters<TestRunner['__setTraces']>[0]);
    const [file] = await startTests([this.#file.filepath], runner);
    if (runner.failed !== undefined) return runner.failed;
    return file?.result?.state === 'fail' ? '' : undefined;
  }

  get #patienceMs(): number {
    return Math.max(PATIENCE_MS, this.#slowestMs * PATIENCE_FACTOR);
  }
}

function reachedMutants(): ReadonlyMap<string, Reach> {
  const { static: around = {}, perTest = {} } = board.mutantCoverage ?? {};
  const reached = new Map<string, { tests: Set<string>; hits: number }>();
  for (const [test, hits] of Object.entries(perTest)) {
    for (const [id, count] of Object.entries(hits)) {
      const entry = reached.get(id) ?? { tests: new Set(), hits: 0 };
      reached.set(id, { tests: entry.tests.add(test), hits: entry.hits + count });
    }
  }
  const all = new Map<string, Reach>(reached);
  for (const [id, count] of Object.entries(around))
    all.set(id, { tests: undefined, hits: count + (reached.get(id)?.hits ?? 0) });
  return all;
}

function testsOf(suite: { readonly tasks: readonly Task[] }): readonly Test[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]));
}
