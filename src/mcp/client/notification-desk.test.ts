import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openLegacy, openModern } from '../../../test/support/client/open-client.js';
import { metaOf, SILENCE, type Script } from '../../../test/support/client/scripted-transport.js';
import { parseJson, type JsonObject } from '../jsonrpc/index.js';
import type { Progress } from '../model/index.js';

const OK = { content: [{ type: 'text', text: 'ok' }] };

describe('progress', () => {
  test.each([
    ['legacy', 'http', { onProgress: () => {} }],
    ['legacy', 'http', {}],
    ['legacy', 'stdio', { meta: { vendor: 1 } }],
    ['modern', 'http', {}],
    ['modern', 'stdio', {}],
  ] as const)(
    'C20, B20: progress extends the time for an answer, never the total: %s, %s, %o',
    async (era, kind, more) => {
      const open = era === 'legacy' ? openLegacy : openModern;
      const script: Script = { 'tools/call': SILENCE, 'resources/read': SILENCE };
      const { client, wire, clock } = await open({}, script, {}, kind);
      const waits: Promise<unknown>[] = [
        client.callTool('slow', {}, { timeoutMs: 100, totalMs: 250, ...more }),
        client.readResource('x:slow', { timeoutMs: 100, totalMs: 250, ...more }),
      ];
      const [call, read] = waits.map((wait) => failure(wait));
      for (const sent of [...wire.of('tools/call'), ...wire.of('resources/read')])
        expect(metaOf(sent)['progressToken']).toBe(sent.id);
      const { id } = wire.of('tools/call')[0]!;
      for (const progress of [1, 2]) {
        await clock.advance(90);
        wire.notify('notifications/progress', { progressToken: id!, progress }, id);
      }
      // Of the other one nothing was heard.
      expect(await read).toMatchObject({ message: 'resources/read took too long without an answer' });
      await clock.advance(68);
      wire.notify('notifications/progress', { progressToken: id!, progress: 3 }, id);
      await clock.advance(3);
      expect(await call).toMatchObject({ message: 'tools/call took too long as a whole' });
    },
  );

  test('B20: no progress is asked for where nobody hears of it and it makes no difference', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': OK, 'vendor/thing': {}, ping: {} });
    await client.callTool('a', { x: 1 }, { timeoutMs: 100, totalMs: 100 });
    await client.request('vendor/thing', { y: 2 });
    await client.ping();
    const [tool, vendor, ping] = wire.sent.slice(2).map(({ message }) => message);
    expect(tool).toMatchObject({ params: { name: 'a', arguments: { x: 1 } } });
    for (const message of [tool, vendor, ping])
      expect(JSON.stringify(message)).not.toContain('progressToken');
  });

  test('C16: own tokens, only strictly increasing values, only those of the call', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE }, {}, 'stdio');
    const seen: Record<string, Progress[]> = { a: [], b: [] };
    const calls = ['a', 'b'].map((name) =>
      client.callTool(
        name,
        {},
        { onProgress: (progress) => seen[name]!.push(progress), meta: { vendor: 1 } },
      ),
    );
    const [first, second] = wire.of('tools/call');
    expect(metaOf(first!)).toEqual({ vendor: 1, progressToken: first!.id });
    expect(metaOf(first!)['progressToken']).not.toBe(metaOf(second!)['progressToken']);
    const token = first!.id!;
    for (const progress of [0, 0, 0.5, 0.4, 2])
      wire.notify('notifications/progress', { progressToken: token, progress });
    wire.notify('notifications/progress', {
      progressToken: second!.id!,
      progress: 7,
      total: 9,
      message: 'on it',
    });
    // More digits than a double has, as some writers print them.
    const text = `{"progressToken":${second!.id!},"progress":33.333333333333329,"total":100.00000000000001}`;
    wire.notify('notifications/progress', parseJson(text) as JsonObject);
    for (const bad of [
      undefined,
      {},
      { progressToken: String(token), progress: 9 },
      { progressToken: 99, progress: 1 },
      { progressToken: token, progress: 'x' },
    ]) {
      wire.notify('notifications/progress', bad);
    }
    for (const sent of [first!, second!]) wire.answer(sent.id!, OK);
    await Promise.all(calls);
    wire.notify('notifications/progress', { progressToken: token, progress: 100 });
    expect(seen).toEqual({
      a: [{ progress: 0 }, { progress: 0.5 }, { progress: 2 }],
      b: [
        { progress: 7, total: 9, message: 'on it' },
        { progress: 33.333_333_333_333_33, total: 100.000_000_000_000_01 },
      ],
    });
  });

  test('B12: over the rounds of a call the caller hears one count, whether or not each round begins anew', async () => {
    const form = {
      method: 'elicitation/create',
      params: { message: 'm', requestedSchema: { type: 'object' } },
    };
    const asked = { resultType: 'input_required', inputRequests: { a: form } };
    const { client, wire } = await openModern(
      {},
      { 'tools/call': SILENCE },
      { handlers: { elicitation: () => ({ action: 'decline' }) } },
    );
    const heard: Progress[] = [];
    const call = client.callTool('t', {}, { onProgress: (progress) => heard.push(progress) });
    for (const [round, steps] of [
      [1, 2],
      [0, 1, 2],
      [9, 10],
    ].entries()) {
      await settle();
      const { id } = wire.of('tools/call')[round]!;
      for (const progress of steps)
        wire.notify('notifications/progress', { progressToken: id!, progress, total: 3 }, id);
      wire.answer(id!, round === 2 ? OK : asked);
    }
    await call;
    expect(heard.map(({ progress, total }) => [progress, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 5],
      [4, 5],
      [9, 3],
      [10, 3],
    ]);
  });

  test('progress on the stream of another request is ignored', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE });
    const seen: number[] = [];
    const calls = [
      client.callTool('a', {}, { onProgress: ({ progress }) => seen.push(progress) }),
      client.callTool('b'),
    ];
    const [first, second] = wire.of('tools/call');
    wire.notify('notifications/progress', { progressToken: first!.id!, progress: 1 }, second!.id);
    wire.notify('notifications/progress', { progressToken: first!.id!, progress: 2 }, first!.id);
    for (const sent of [first!, second!]) wire.answer(sent.id!, OK);
    await Promise.all(calls);
    expect(seen).toEqual([2]);
  });

  test('a listener that throws harms nothing', async () => {
    const { client, wire, warnings } = await openLegacy({}, { 'tools/call': SILENCE });
    const broken = client.callTool(
      'b',
      {},
      {
        onProgress: () => {
          throw new Error('mine');
        },
      },
    );
    const { id } = wire.of('tools/call')[0]!;
    wire.notify('notifications/progress', { progressToken: id!, progress: 1 }, id);
    wire.answer(id!, OK);
    await broken;
    expect(warnings).toEqual([{ code: 'hook_failed', message: 'onProgress threw' }]);
  });
});

describe('notifications', () => {
  test('hooks hear of changes and logs, with the call they came along with', async () => {
    const heard: unknown[] = [];
    const { client, wire } = await openLegacy(
      {},
      { 'tools/call': SILENCE },
      {
        onListChanged: (list) => heard.push(list),
        onResourceUpdated: (uri) => heard.push(uri),
        onLog: (message, during) => heard.push([message, during?.method, during?.tag]),
        onNotification: ({ method }) => heard.push(method),
      },
    );
    const call = client.callTool(
      'a',
      {},
      { tag: 'mine', onLog: (message) => heard.push(['call', message.data]) },
    );
    const { id } = wire.of('tools/call')[0]!;
    wire.notify('notifications/tools/list_changed');
    wire.notify('notifications/resources/updated', { uri: 'x://1' });
    wire.notify('notifications/message', { level: 'info', logger: 'l', data: { a: 1 } }, id);
    wire.notify('notifications/message', { level: 'nonsense', data: 1 });
    wire.notify('notifications/unheard-of');
    wire.answer(id!, OK);
    await call;
    expect(heard).toEqual([
      'notifications/tools/list_changed',
      'tools',
      'notifications/resources/updated',
      'x://1',
      'notifications/message',
      ['call', { a: 1 }],
      [{ level: 'info', logger: 'l', data: { a: 1 } }, 'tools/call', 'mine'],
      'notifications/message',
      'notifications/unheard-of',
    ]);
  });

  test('on a shared channel a log message goes to nobody while somebody else has a call there, or gave one up', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE, ping: SILENCE }, {}, 'stdio');
    const heard: unknown[] = [];
    const say = (data: string): void => wire.notify('notifications/message', { level: 'info', data });
    const aborter = new AbortController();
    const mine = client.callTool('a', {}, { caller: 'ada', onLog: ({ data }) => heard.push(data) });
    say('alone');
    const own = client.callTool('b', {}, { caller: 'ada' });
    say('with a call of her own');
    client.ping().catch(() => {});
    say('beside what is nobody’s');
    const other = client.callTool('c', {}, { caller: 'bob', signal: aborter.signal });
    say('beside bob');
    aborter.abort();
    await expect(other).rejects.toThrow(/./);
    say('after bob');
    for (const sent of wire.of('tools/call')) wire.answer(sent.id!, OK);
    await Promise.all([mine, own]);
    expect(heard).toEqual(['alone', 'with a call of her own', 'beside what is nobody’s']);
  });

  test('on a shared channel a log message goes to the only call that wants it, else to none', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE }, {}, 'stdio');
    const heard: string[] = [];
    expect(wire.ignoresLog()).toBe(true);
    const first = client.callTool('a', {}, { onLog: () => heard.push('a'), logLevel: 'warning' });
    const quiet = client.callTool('q');
    expect(wire.ignoresLog()).toBe(false);
    wire.notify('notifications/message', { level: 'error', data: 1 });
    wire.notify('notifications/message', { level: 'debug', data: 1 });
    const second = client.callTool('b', {}, { onLog: () => heard.push('b') });
    wire.notify('notifications/message', { level: 'error', data: 1 });
    for (const sent of wire.of('tools/call')) wire.answer(sent.id!, OK);
    await Promise.all([first, quiet, second]);
    expect(heard).toEqual(['a']);
    expect(wire.ignoresLog()).toBe(true);
  });

  test('a hook that throws is reported and nothing else', async () => {
    const { wire, warnings } = await openLegacy(
      {},
      {},
      {
        onListChanged: () => {
          throw new TypeError('mine');
        },
      },
    );
    wire.notify('notifications/prompts/list_changed');
    expect(warnings).toEqual([{ code: 'hook_failed', message: 'onListChanged threw TypeError' }]);
  });
});
