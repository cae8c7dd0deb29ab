import { readFileSync, statSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Workplace, type Running } from './workplace.js';

let place: Workplace;
beforeAll(async () => {
  place = await Workplace.open();
});
afterAll(() => place?.close());

describe('without a hub', () => {
  test('a command says that none is running and what to do, and ends with 1', async () => {
    const { code, stdout, stderr } = await place.run(['tools']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('no hub is running for the data folder .crosspoint');
    expect(stderr).toContain('crosspoint serve');
  });

  test('an address that is no hub is told from one that does not answer', async () => {
    const server = createServer((_, response) => response.end('<h1>hello</h1>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { code, stderr } = await place.run(['tools'], {
        env: { CROSSPOINT_URL: url, CROSSPOINT_ADMIN_TOKEN: 'x' },
      });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${url} does not answer like a hub`)]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('a wrong command line ends with 2', async () => {
    const { code, stdout, stderr } = await place.run(['tools', '--nonsense']);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining("unknown option '--nonsense'")]);
  });
});

describe('the first minutes', () => {
  let hub: Running;
  beforeAll(async () => {
    hub = place.start(['serve', '--port', '0']);
    await hub.until(/Stop with Ctrl-C/);
  });

  test('serve prints what the first call needs, and no secret', () => {
    const printed = hub.stdout();
    expect(printed).toMatch(/MCP endpoint {2}http:\/\/127\.0\.0\.1:\d+\/mcp/);
    expect(printed).toContain('npx crosspoint call sample__echo text=hello');
    const client = JSON.parse(/^ +(\{"mcpServers".*)$/m.exec(printed)?.[1] ?? '') as object;
    expect(client).toMatchObject({
      mcpServers: { crosspoint: { type: 'http', headers: { Authorization: 'Bearer ${HUB_KEY}' } } },
    });
    for (const name of ['admin.token', 'local.token', 'master.key']) {
      expect(printed).not.toContain(readFileSync(place.path('.crosspoint', name), 'utf8').trim());
    }
  });

  test('the printed call works', async () => {
    expect(await place.run(['call', 'sample__echo', 'text=hello'])).toMatchObject({
      code: 0,
      stdout: 'hello\n',
    });
  });

  test('the tools are listed, without colour where nobody sees it', async () => {
    const { code, stdout } = await place.run(['tools', '--connector', 'sample']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^TOOL +RISK +DESCRIPTION\n/);
    expect(stdout).toMatch(/^sample__add +read +Adds two numbers\.$/m);
    expect(stdout).not.toContain('\u001b');
    const tools = await place.json<{ name: string }[]>(['tools']);
    expect(tools.map(({ name }) => name)).toContain('sample__echo');
  });

  test('the address is in the data folder, for its owner only', () => {
    const file = place.path('.crosspoint', 'hub.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      url: /http:\/\/\S+:\d+/.exec(hub.stdout())?.[0]?.replace('/mcp', ''),
      pid: hub.child.pid,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a wrong token is refused with a hint where the right one is', async () => {
    const { code, stderr } = await place.run(['tools'], { env: { CROSSPOINT_ADMIN_TOKEN: 'wrong' } });
    expect(code).toBe(1);
    expect(stderr).toContain('did not accept the token from CROSSPOINT_ADMIN_TOKEN');
  });

  test('a second hub on the same data is refused with 78', async () => {
    const { code, stderr } = await place.run(['serve', '--port', '0']);
    expect([code, stderr]).toEqual([78, expect.stringContaining('another hub uses this store')]);
  });

  test('serve ends with 0 when it is asked to, and takes its address away', async () => {
    expect(await hub.stop('SIGINT')).toMatchObject({ code: 0 });
    expect(existsSync(place.path('.crosspoint', 'hub.json'))).toBe(false);
    expect(await place.run(['tools'])).toMatchObject({ code: 1 });
  });
});
