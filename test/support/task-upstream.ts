import { HubError } from '../../src/kernel/index.js';
import type { InputResponses, TaskState } from '../../src/mcp/model/index.js';
import { TransportError } from '../../src/mcp/transports/index.js';
import { AccessRefused, type Lease, type Upstream, type UpstreamTask } from '../../src/upstreams/index.js';

/** Of every task at the upstream, unless a test says otherwise. */
export const WORKING: TaskState = {
  taskId: 'far',
  status: 'working',
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUpdatedAt: '2026-01-01T00:00:00.000Z',
  ttlMs: 60_000,
  pollIntervalMs: 1_000,
};

/** An upstream with one task, and what was asked of it. Its conversations are counted. */
export class TaskUpstream {
  state: TaskState = WORKING;
  /** What looking fails with. */
  failure: HubError | undefined;
  looks = 0;
  cancels = 0;
  /** Of these, how many came with a signal that ends the wait. */
  limited = 0;
  /** When it answers that something was cancelled. */
  answering: Promise<void> | undefined;
  closes = 0;
  openLeases = 0;
  /** Conversations that rest and have not been let go. */
  resting = 0;
  readonly followed: string[] = [];
  readonly answers: InputResponses[] = [];

  /** The upstream does not know the task any more. */
  forget(): void {
    this.failure = new HubError('upstream_rejected', 'Unknown task', { details: { rpcCode: -32_602 } });
  }

  /** The upstream does not take the token any more. */
  refuse(): void {
    this.failure = new AccessRefused('refused', new TransportError('HTTP_UNAUTHORIZED', 'refused'));
  }

  readonly open = async (): Promise<Lease> => {
    this.openLeases++;
    let released = false;
    return {
      // Nothing else of it is used.
      upstream: { followTask: (id: string) => this.#follow(id) } as unknown as Upstream,
      rest: async (work) => {
        this.resting++;
        return work().finally(() => this.resting--);
      },
      release: () => {
        if (!released) this.openLeases--;
        released = true;
      },
    };
  };

  #follow(id: string): UpstreamTask {
    this.followed.push(id);
    return {
      asks: false,
      get: async () => {
        this.looks++;
        if (this.failure !== undefined) throw this.failure;
        return this.state;
      },
      update: async (responses) => void this.answers.push(responses),
      cancel: async ({ signal }) => {
        this.cancels++;
        if (signal !== undefined) this.limited++;
        await this.answering;
        if (this.failure !== undefined) throw this.failure;
      },
      close: () => void this.closes++,
    };
  }
}
