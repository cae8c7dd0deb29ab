import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, startHub, type RunningHub, type WorkerLink } from '../../src/app/index.js';
import type { Logger } from '../../src/kernel/index.js';
import { SecretWatch } from './secret-watch.js';

export interface TestHub {
  readonly running: RunningHub;
  readonly url: string;
  readonly folder: string;
  /** Key of the agent `local`. */
  readonly localKey: string;
  readonly adminToken: string;
  close(): Promise<void>;
}

export interface TestHubOptions {
  /** The configuration file's content, as data. */
  readonly config?: object;
  /** Further files beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly logger?: Logger;
  /** Kept when given, removed otherwise. */
  readonly folder?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Of a worker. */
  readonly link?: WorkerLink;
}

/** The real hub in this process, on a free loopback port, with a data folder of its own. */
export async function startTestHub({
  config,
  files = {},
  environment = {},
  logger: givenLogger,
  folder: given,
  port = 0,
  link,
}: TestHubOptions = {}): Promise<TestHub> {
  const watch = new SecretWatch();
  const logger = givenLogger ?? watch.logger;
  const folder = given ?? mkdtempSync(join(tmpdir(), 'crosspoint-hub-'));
  if (config !== undefined) writeFileSync(join(folder, 'crosspoint.json'), JSON.stringify(config));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const flags = { port, data: join(folder, 'data') };
  const running = await startHub(
    loadConfig({ flags, environment, folder, now: Date.now() }),
    logger,
    undefined,
    { link },
  );
  return {
    running,
    url: running.url,
    folder,
    localKey: running.folder.localToken.reveal(),
    adminToken: running.folder.adminToken.reveal(),
    async close() {
      const secrets = await watch.secretsOf(running, config);
      await running.stop();
      watch.requireNoneShown(secrets, join(folder, 'data'));
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the hub has asked a connector what it offers. */
export async function waitForSync(hub: TestHub, connector: string, timeoutMs = 15_000): Promise<void> {
  const { catalog, health, connectors } = hub.running.hub;
  const deadline = Date.now() + timeoutMs;
  while (catalog.snapshotOf(connector as never) === undefined) {
    if (Date.now() > deadline) {
      const known = await connectors.find(connector as never);
      throw new Error(
        `${connector} was not synced in time: ${known === undefined ? 'unknown' : health.healthOf(known).reason}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
