import { describe, expect, test } from 'vitest';
import { Harness, NEWEST, request } from '../../../../test/support/server/harness.js';

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
}

describe('naming a session', () => {
  const EXPECTED: [string, Record<string, string>, number, number][] = [
    ['S66 M-1: none', {}, 400, -32000],
    ['M-4: two', { 'mcp-session-id': 'a, b' }, 400, -32000],
    ['M-4: in a cookie', { cookie: 'mcp-session-id=x' }, 400, -32000],
    ['M-3: too long', { 'mcp-session-id': 'x'.repeat(12_000) }, 400, -32000],
    ['S66 M-2: unknown', { 'mcp-session-id': 'x'.repeat(43) }, 404, -32001],
    ['M-3: a path', { 'mcp-session-id': '../..' }, 404, -32001],
    ['M-3: __proto__', { 'mcp-session-id': '__proto__' }, 404, -32001],
    ['M-3: JSON', { 'mcp-session-id': '{"a":1}' }, 404, -32001],
  ];
  test.each(EXPECTED)('%s', async (_name, headers, status, code) => {
    const harness = new Harness();
    await harness.session();
    const answer = await harness.post(request(5, 'tools/list'), headers);
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([status, code, 5]);
  });

  test('S66 M-2: deleted, foreign, cut, extended and recased ids all look unknown', async () => {
    const harness = new Harness();
    const gone = await harness.session();
    const live = await harness.session();
    const foreign = await harness.session({ principal: 'bob' });
    await gone.delete();
    const ids = [gone.id, foreign.id, live.id.slice(1), `${live.id}x`, swapCase(live.id), 'unknown'];
    const answers = await Promise.all(
      ids.map((id) => live.post(request(1, 'ping'), { 'mcp-session-id': id })),
    );
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
  });

  test('S67: an id is no authentication', async () => {
    const harness = new Harness();
    const { id } = await harness.session();
    const answer = await harness.post(request(1, 'ping'), { authorization: '', 'mcp-session-id': id });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test.each([
    ['S69 M-8: unknown', '1999-01-01', 400],
    ['M-8: garbage', 'x', 400],
    ['M-8: two values', `${NEWEST}, ${NEWEST}`, 400],
    ['S69: another served one', '2025-03-26', 200],
  ])('version header: %s', async (_name, version, status) => {
    const harness = new Harness();
    const session = await harness.session();
    const answer = await session.request('ping', {}, { 'mcp-protocol-version': version });
    expect(answer.status).toBe(status);
    expect(harness.count('revision_differs')).toBe(status === 200 ? 1 : 0);
  });

  test('S69: one that is left out', async () => {
    const session = await new Harness({ oldestRevision: '2025-06-18' }).session();
    const named = async (version: string): Promise<number> =>
      (await session.request('ping', {}, { 'mcp-protocol-version': version })).status;
    expect([await named('2025-03-26'), await named('2025-06-18')]).toEqual([400, 200]);
  });

  test('S69: no version header', async () => {
    const harness = new Harness();
    const { id } = await harness.session();
    expect((await harness.post(request(1, 'ping'), { 'mcp-session-id': id })).status).toBe(200);
  });
});

describe('S65 B1.6: two principals', () => {
  test('neither can use, hear, resume or end what is the other’s', async () => {
    const harness = new Harness({
      call: async (r) => {
        r.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const alice = await harness.session();
    const stream = await alice.call({}, { progressToken: 1 });
    const event = await stream.next();
    const bob = { authorization: 'Bearer bob', 'mcp-session-id': alice.id };
    expect((await harness.post(request(1, 'tools/list'), bob)).status).toBe(404);
    expect((await harness.get(bob)).status).toBe(404);
    expect((await harness.get({ ...bob, 'last-event-id': event?.id ?? '' })).status).toBe(404);
    expect((await harness.send('DELETE', bob)).status).toBe(404);
    expect((await harness.post({ jsonrpc: '2.0', id: 1, result: {} }, bob)).status).toBe(404);
    expect((await alice.request('ping')).status).toBe(200);
  });
});
