import pg from 'pg';
import { postgresStateOf } from '../storage-errors.js';

const QUIET_MS = 4_000;
const PROBE_MS = 3_000;

/**
 * Tells a server that takes its time from one that is gone without a word: stopped, or behind a network that swallows
 * everything. A statement may take long; but while it does, the server answers on another connection.
 */
export class SilenceWatch {
  readonly #config: pg.ClientConfig;
  #asking: Promise<boolean> | undefined;

  constructor(config: pg.ClientConfig) {
    this.#config = {
      ...config,
      connectionTimeoutMillis: PROBE_MS,
      statement_timeout: PROBE_MS,
      query_timeout: PROBE_MS,
    };
  }

  /** Calls `gone` if nothing is heard until the returned function is called, and the server does not answer either. */
  begin(gone: () => void): () => void {
    let isOver = false;
    const timer = setInterval(() => {
      void this.#ask().then((answers) => {
        if (!answers && !isOver) gone();
      });
    }, QUIET_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }

  /** However many wait, one asks for all of them. */
  #ask(): Promise<boolean> {
    return (this.#asking ??= this.#probe().finally(() => (this.#asking = undefined)));
  }

  async #probe(): Promise<boolean> {
    const client = new pg.Client(this.#config);
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch (error) {
      // One that refuses has answered.
      return postgresStateOf(error) !== undefined;
    } finally {
      void client.end().catch(() => {});
    }
  }
}
