import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openClient, openModern } from '../../../test/support/client/open-client.js';
import {
  modernScript,
  SILENCE,
  type Sent,
  type ScriptedTransport,
} from '../../../test/support/client/scripted-transport.js';
import { ProtocolError, type JsonObject } from '../jsonrpc/index.js';
import type { ChangeNotification } from '../model/index.js';
import { TransportError } from '../transports/index.js';

const ALL = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** Acknowledges everything, on the stream of the request or on the shared channel. */
function acknowledge(sent: Sent, wire: ScriptedTransport, honoured = sent.params['notifications']): void {
  const params = { _meta: { [SUBSCRIPTION]: sent.id! }, notifications: honoured! };
  wire.notify('notifications/subscriptions/acknowledged', params, wire.carriesHeaders ? sent.id : undefined);
}

function listening(sent: Sent, wire: ScriptedTransport): typeof SILENCE {
  acknowledge(sent, wire);
  return SILENCE;
}

function tell(wire: ScriptedTransport, sent: Sent, method: string, params: JsonObject = {}): void {
  wire.notify(
    method,
    { ...params, _meta: { [SUBSCRIPTION]: sent.id! } },
    wire.carriesHeaders ? sent.id : undefined,
  );
}

describe('modern subscriptions', () => {
  test.each(['http', 'stdio'] as const)(
    'C43: a listen over %s asks for what is offered and tells of changes',
    async (kind) => {
      const { client, wire } = await openModern(
        { tools: { listChanged: true }, resources: { subscribe: true } },
        { 'subscriptions/listen': listening },
        {},
        kind,
      );
      const changes: ChangeNotification[] = [];
      const filter = {
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: ['x://a'],
        taskIds: ['t'],
      };
      const subscription = await client.subscribe(filter, (change) => changes.push(change));
      const [listen] = wire.of('subscriptions/listen');
      expect(listen!.params['notifications']).toEqual({
        toolsListChanged: true,
        resourceSubscriptions: ['x://a'],
      });
      expect(listen!.outgoing.standing).toBe(kind === 'http' ? true : undefined);
      expect(subscription.honoured).toEqual({ toolsListChanged: true, resourceSubscriptions: ['x://a'] });
      tell(wire, listen!, 'notifications/tools/list_changed');
      tell(wire, listen!, 'notifications/resources/updated', { uri: 'x://a/part' });
      tell(wire, listen!, 'notifications/resources/updated', { uri: 'x://b' });
      tell(wire, listen!, 'notifications/prompts/list_changed');
      tell(wire, { ...listen!, id: 99 }, 'notifications/tools/list_changed');
      expect(changes.map(({ method, params }) => [method, params?.['uri']])).toEqual([
        ['notifications/tools/list_changed', undefined],
        ['notifications/resources/updated', 'x://a/part'],
      ]);
      subscription.close();
      subscription.close();
      tell(wire, listen!, 'notifications/tools/list_changed');
      expect(changes).toHaveLength(2);
      await settle();
      expect(listen!.aborted).toBe(kind === 'http');
      expect(wire.of('notifications/cancelled').map(({ params }) => params['requestId'])).toEqual(
        kind === 'http' ? [] : [listen!.id],
      );
    },
  );

  test('the acknowledged part is what counts', async () => {
    const { client } = await openModern(ALL, {
      'subscriptions/listen': (sent, wire) => {
        acknowledge(sent, wire, {
          toolsListChanged: true,
          resourceSubscriptions: ['x://a', 'x://other'],
          promptsListChanged: false,
        });
        return SILENCE;
      },
    });
    const subscription = await client.subscribe(
      { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['x://a', 'x://b'] },
      () => {},
    );
    expect(subscription.honoured).toEqual({ toolsListChanged: true, resourceSubscriptions: ['x://a'] });
  });

  test('with nothing offered nothing is sent', async () => {
    const { client, wire } = await openModern({}, {});
    const subscription = await client.subscribe({ toolsListChanged: true }, () => {});
    expect(subscription.honoured).toEqual({});
    subscription.close();
    expect(wire.of('subscriptions/listen')).toHaveLength(0);
  });

  test('a quiet subscription has no deadline, an unacknowledged one has', async () => {
    const quiet = await openModern(ALL, { 'subscriptions/listen': listening });
    await quiet.client.subscribe({ toolsListChanged: true }, () => {});
    await quiet.clock.advance(3_600_000);
    expect(quiet.wire.of('subscriptions/listen')).toHaveLength(1);
    expect(quiet.wire.of('subscriptions/listen')[0]!.aborted).toBe(false);
    const mute = await openModern(ALL, { 'subscriptions/listen': SILENCE });
    const waiting = failure(mute.client.subscribe({ toolsListChanged: true }, () => {}));
    await mute.clock.advance(30_001);
    expect(await waiting).toMatchObject({ code: 'timeout' });
    await mute.clock.advance(600_000);
    expect(mute.wire.of('subscriptions/listen')).toHaveLength(1);
  });

  test('a first refusal is the answer of subscribe, and it can be aborted', async () => {
    const { client } = await openModern(ALL, { 'subscriptions/listen': new ProtocolError(-32601, 'no') });
    expect(await failure(client.subscribe({ toolsListChanged: true }, () => {}))).toMatchObject({
      code: -32601,
    });
    const mute = await openModern(ALL, { 'subscriptions/listen': SILENCE });
    const abort = new AbortController();
    const waiting = failure(
      mute.client.subscribe({ toolsListChanged: true }, () => {}, { signal: abort.signal }),
    );
    await settle();
    abort.abort();
    expect(await waiting).toMatchObject({ code: 'aborted' });
    expect(mute.wire.of('subscriptions/listen')[0]!.aborted).toBe(true);
    expect(
      await failure(mute.client.subscribe({ toolsListChanged: true }, () => {}, { signal: abort.signal })),
    ).toMatchObject({ code: 'aborted' });
  });

  const endings: readonly [string, (wire: ScriptedTransport, sent: Sent) => void][] = [
    [
      'its stream breaks',
      (wire, sent) => wire.answer(sent.id!, new TransportError('CONNECTION_CLOSED', 'gone')),
    ],
    ['the server ends it', (wire, sent) => wire.answer(sent.id!, { resultType: 'complete' })],
    ['its exchange ends without a word', (wire, sent) => wire.endExchange(sent.id!)],
  ];
  test.each(endings)(
    'C34: when %s it is opened again after a pause, and everything may have changed',
    async (_name, end) => {
      const { client, wire, clock } = await openModern(ALL, { 'subscriptions/listen': listening });
      const changes: string[] = [];
      const subscription = await client.subscribe(
        { toolsListChanged: true, resourceSubscriptions: ['x://a'] },
        ({ method }) => changes.push(method),
      );
      end(wire, wire.of('subscriptions/listen')[0]!);
      await clock.advance(999);
      expect(wire.of('subscriptions/listen')).toHaveLength(1);
      await clock.advance(1);
      expect(wire.of('subscriptions/listen')).toHaveLength(2);
      expect(changes).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated']);
      expect(subscription.ended).toBeUndefined();
      tell(wire, wire.of('subscriptions/listen')[1]!, 'notifications/tools/list_changed');
      expect(changes).toHaveLength(3);
    },
  );

  test('A1: a cancellation of the listen by the server over stdio ends it too', async () => {
    const { client, wire, clock } = await openModern(ALL, { 'subscriptions/listen': listening }, {}, 'stdio');
    await client.subscribe({ toolsListChanged: true }, () => {});
    wire.notify('notifications/cancelled', { requestId: wire.of('subscriptions/listen')[0]!.id! });
    await clock.advance(1000);
    expect(wire.of('subscriptions/listen')).toHaveLength(2);
  });

  test('C34: pauses grow up to half a minute and shrink after success', async () => {
    let up = true;
    const down = new TransportError('CONNECT_FAILED', 'down');
    const { client, wire, clock } = await openModern(ALL, {
      'subscriptions/listen': (sent, self) => (up ? listening(sent, self) : down),
    });
    await client.subscribe({ toolsListChanged: true }, () => {});
    up = false;
    wire.answer(wire.of('subscriptions/listen')[0]!.id!, down);
    await settle();
    expect(clock.keepingAlive).toBe(1);
    const times: number[] = [];
    for (let second = 0; second < 200; second += 0.5) {
      const before = wire.of('subscriptions/listen').length;
      await clock.advance(500);
      if (wire.of('subscriptions/listen').length > before) times.push(second + 0.5);
    }
    const pauses = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(pauses.slice(0, 4)).toEqual([1, 1.5, 2.5, 3.5]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30.5);
    expect(Math.max(...pauses)).toBeGreaterThan(25);
    up = true;
    await clock.advance(30_000);
    const count = wire.of('subscriptions/listen').length;
    wire.answer(wire.of('subscriptions/listen').at(-1)!.id!, down);
    await clock.advance(1000);
    expect(wire.of('subscriptions/listen')).toHaveLength(count + 1);
  });

  test.each([
    ['it has too many', -32603],
    ['of a reason of its own', -32000],
    ['of a limit', -31029],
  ])('C34: a server that refuses it later on because %s is asked again', async (_why, code) => {
    let refusals = 0;
    const { client, wire, clock } = await openModern(ALL, {
      'subscriptions/listen': (sent, self) =>
        refusals-- > 0 ? new ProtocolError(code, 'not now') : listening(sent, self),
    });
    const changes: string[] = [];
    const subscription = await client.subscribe({ toolsListChanged: true }, ({ method }) =>
      changes.push(method),
    );
    refusals = 2;
    wire.answer(wire.of('subscriptions/listen')[0]!.id!, { resultType: 'complete' });
    await clock.advance(10_000);
    expect(subscription.ended).toBeUndefined();
    expect(wire.of('subscriptions/listen')).toHaveLength(4);
    expect(changes).toEqual(['notifications/tools/list_changed']);
  });

  test('a refusal later on is its end', async () => {
    let refuse = false;
    const { client, wire, clock } = await openModern(ALL, {
      'subscriptions/listen': (sent, self) =>
        refuse ? new ProtocolError(-32601, 'no more') : listening(sent, self),
    });
    const subscription = await client.subscribe({ toolsListChanged: true }, () => {});
    refuse = true;
    wire.answer(wire.of('subscriptions/listen')[0]!.id!, { resultType: 'complete' });
    await clock.advance(100_000);
    expect(subscription.ended).toMatchObject({ code: -32601 });
    expect(wire.of('subscriptions/listen')).toHaveLength(2);
  });

  test('C51: a process that is started again is listened to again', async () => {
    const script = modernScript(ALL, { 'subscriptions/listen': listening });
    const { client, transports, clock } = await openClient('stdio', [script]);
    await client.subscribe({ toolsListChanged: true }, () => {});
    transports[0]!.crash();
    await clock.advance(1000);
    expect(transports[1]!.methods).toEqual(['server/discover', 'subscriptions/listen']);
  });

  test('closing the client ends subscriptions and their timers', async () => {
    const { client, wire, clock } = await openModern(ALL, { 'subscriptions/listen': listening });
    await client.subscribe({ toolsListChanged: true }, () => {});
    await client.subscribe({ promptsListChanged: true }, () => {});
    wire.answer(wire.of('subscriptions/listen')[1]!.id!, { resultType: 'complete' });
    await settle();
    await client.close();
    expect(wire.of('subscriptions/listen')[0]!.aborted).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test('closing the client while it subscribes is the answer of subscribe', async () => {
    const { client } = await openModern(ALL, { 'subscriptions/listen': SILENCE });
    const waiting = failure(client.subscribe({ toolsListChanged: true }, () => {}));
    await settle();
    await client.close();
    expect(await waiting).toMatchObject({ code: 'closed' });
  });

  test('a listener that throws is reported', async () => {
    const { client, wire, warnings } = await openModern(ALL, { 'subscriptions/listen': listening });
    await client.subscribe({ toolsListChanged: true }, () => {
      throw new RangeError('mine');
    });
    tell(wire, wire.of('subscriptions/listen')[0]!, 'notifications/tools/list_changed');
    expect(warnings).toEqual([{ code: 'hook_failed', message: 'onChange threw RangeError' }]);
  });
});
