import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client as V2Client,
  StreamableHTTPClientTransport as V2Http,
  UnauthorizedError as V2Unauthorized,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as V1Unauthorized } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/oauth-client.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { ensurePrograms } from './ensure-programs.js';
import { allow, MemoryProvider } from './oauth-provider.js';

/** Official clients sign in to the hub with a browser, without knowing anything but its address, and call a tool. */

const INFO = { name: 'official-client', version: '1' };
let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub();
  await waitForSync(hub, 'sample');
});
afterAll(() => hub?.close());

interface Signed {
  readonly provider: MemoryProvider;
  call(text: string): Promise<unknown>;
  close(): Promise<void>;
}

async function signInV1(path: string, tool: string): Promise<Signed> {
  const provider = await MemoryProvider.create(hub, hub.localKey);
  const url = new URL(hub.url + path);
  const first = new V1Http(url, { authProvider: provider.asV1() });
  await expect(new V1Client(INFO).connect(first)).rejects.toBeInstanceOf(V1Unauthorized);
  await first.finishAuth(provider.callback?.searchParams.get('code') ?? '');
  const client = new V1Client(INFO);
  await client.connect(new V1Http(url, { authProvider: provider.asV1() }));
  return {
    provider,
    call: (text) => client.callTool({ name: tool, arguments: { text } }),
    close: () => client.close(),
  };
}

async function signInV2(path: string, tool: string, era: 'legacy' | 'modern'): Promise<Signed> {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' };
  const provider = await MemoryProvider.create(hub, hub.localKey);
  const url = new URL(hub.url + path);
  const open = () => new V2Client(INFO, { versionNegotiation: { mode } });
  const first = new V2Http(url, { authProvider: provider.asV2() });
  await expect(open().connect(first)).rejects.toBeInstanceOf(V2Unauthorized);
  await first.finishAuth(provider.callback?.searchParams ?? new URLSearchParams());
  const client = open();
  await client.connect(new V2Http(url, { authProvider: provider.asV2() }));
  return {
    provider,
    call: (text) => client.callTool({ name: tool, arguments: { text } }),
    close: () => client.close(),
  };
}

const SDKS = [
  ['SDK v1', (path: string, tool: string) => signInV1(path, tool)],
  ['SDK v2, legacy', (path: string, tool: string) => signInV2(path, tool, 'legacy')],
  ['SDK v2, modern', (path: string, tool: string) => signInV2(path, tool, 'modern')],
] as const;

describe.each(SDKS)('%s', (_name, connect) => {
  test.each([
    ['/mcp', 'sample__echo'],
    ['/connectors/sample/mcp', 'echo'],
  ])('signs in at %s and calls a tool', async (path, tool) => {
    const signed = await connect(path, tool);
    try {
      expect(signed.provider.visited).toHaveLength(1);
      expect(signed.provider.visited[0]?.searchParams.get('resource')).toBe(hub.url + path);
      expect(await signed.call('Grüße')).toMatchObject({ content: [{ type: 'text', text: 'Grüße' }] });
    } finally {
      await signed.close();
    }
  });

  test('takes a new token when the old one is no longer accepted', async () => {
    const signed = await connect('/mcp', 'sample__echo');
    try {
      const before = signed.provider.tokens;
      if (before === undefined) throw new Error('no tokens');
      const broken = `${before.access_token.slice(0, -8)}AAAAAAAA`;
      signed.provider.tokens = { ...before, access_token: broken };
      expect(await signed.call('again')).toMatchObject({ content: [{ text: 'again' }] });
      expect(signed.provider.visited).toHaveLength(1);
      expect(signed.provider.tokens?.refresh_token).not.toBe(before.refresh_token);
    } finally {
      await signed.close();
    }
  });
});

describe('the Inspector', () => {
  let home = '';
  let programs: Awaited<ReturnType<typeof ensurePrograms>>;
  beforeAll(async () => {
    programs = await ensurePrograms();
    home = mkdtempSync(join(tmpdir(), 'crosspoint-inspector-'));
  }, 600_000);
  afterAll(() => {
    if (home !== '') rmSync(home, { recursive: true, force: true });
  });

  /** Runs it, and opens in a browser what it asks to be opened. */
  async function inspect(args: readonly string[]): Promise<{ output: string; opened: number }> {
    const browser = await signIn(hub, hub.localKey);
    const child = spawn(
      programs.node,
      [programs.inspector, '--cli', `${hub.url}/mcp`, '--transport', 'http', '--format', 'json', ...args],
      {
        cwd: home,
        // Without a terminal it signs in only if told to open a browser, and there is none on this path.
        env: {
          PATH: home,
          HOME: home,
          NO_COLOR: '1',
          MCP_AUTO_OPEN_ENABLED: 'true',
          MCP_INSPECTOR_SECRET_STORE: 'file',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 60_000,
        killSignal: 'SIGKILL',
      },
    );
    let output = '';
    let opened = 0;
    const collect = (chunk: string): void => {
      output += chunk;
      const asked = /navigate to: (http\S+)/.exec(output)?.[1];
      if (asked === undefined || opened > 0) return;
      opened++;
      allow(hub, browser, new URL(asked))
        .then((callback) => fetch(callback))
        .catch((error: unknown) => {
          output += String(error);
          child.kill('SIGKILL');
        });
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    await new Promise((resolve) => child.once('close', resolve));
    return { output, opened };
  }

  test.each(['legacy', 'modern'])('signs in with the browser and calls a tool, %s', async (era) => {
    const args = ['--protocol-era', era, '--method', 'tools/call', '--tool-name', 'sample__echo'];
    const first = await inspect([...args, '--relogin', '--tool-arg', 'text=Grüße']);
    expect(first).toMatchObject({ output: expect.stringContaining('Grüße') as string, opened: 1 });
    // It keeps what it got.
    const second = await inspect([...args, '--stored-auth-only', '--tool-arg', 'text=again']);
    expect(second).toMatchObject({ output: expect.stringContaining('again') as string, opened: 0 });
  });
});
