import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openLegacy } from '../../../test/support/client/open-client.js';
import { SILENCE, type Sent } from '../../../test/support/client/scripted-transport.js';
import { ProtocolError } from '../jsonrpc/index.js';

const ALL = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};

describe('legacy subscriptions', () => {
  const SCRIPT = { 'resources/subscribe': {}, 'resources/unsubscribe': {} };

  test('C44: unasked changes of lists reach those who asked for them', async () => {
    const { client, wire } = await openLegacy({ tools: { listChanged: true }, prompts: {} }, {});
    const changes: string[] = [];
    using subscription = await client.subscribe(
      { toolsListChanged: true, promptsListChanged: true },
      ({ method }) => changes.push(method),
    );
    expect(subscription.honoured).toEqual({ toolsListChanged: true });
    wire.notify('notifications/tools/list_changed');
    wire.notify('notifications/prompts/list_changed');
    subscription.close();
    wire.notify('notifications/tools/list_changed');
    expect(changes).toEqual(['notifications/tools/list_changed']);
  });

  test('a resource is subscribed to once, however many listen, and left with the last', async () => {
    const { client, wire } = await openLegacy(ALL, SCRIPT);
    const seen: string[] = [];
    const first = await client.subscribe({ resourceSubscriptions: ['x://a', 'x://a'] }, () =>
      seen.push('first'),
    );
    const second = await client.subscribe({ resourceSubscriptions: ['x://a', 'x://b'] }, () =>
      seen.push('second'),
    );
    expect(wire.of('resources/subscribe').map(({ params }) => params['uri'])).toEqual(['x://a', 'x://b']);
    wire.notify('notifications/resources/updated', { uri: 'x://a/part' });
    expect(seen).toEqual(['first', 'second']);
    first.close();
    expect(wire.of('resources/unsubscribe')).toHaveLength(0);
    second.close();
    second.close();
    expect(wire.of('resources/unsubscribe').map(({ params }) => params['uri'])).toEqual(['x://a', 'x://b']);
  });

  test('a resource that is being left is subscribed to again only when the server has let it go', async () => {
    const { client, wire } = await openLegacy(ALL, { ...SCRIPT, 'resources/unsubscribe': SILENCE });
    const first = await client.subscribe({ resourceSubscriptions: ['x://a'] }, () => {});
    first.close();
    const again = client.subscribe({ resourceSubscriptions: ['x://a'] }, () => {});
    await settle();
    expect(wire.of('resources/subscribe')).toHaveLength(1);
    wire.answer(wire.of('resources/unsubscribe')[0]!.id!, {});
    await again;
    expect(wire.of('resources/subscribe')).toHaveLength(2);
  });

  test('a resource that cannot be subscribed to fails the whole, which leaves nothing behind', async () => {
    const { client, wire } = await openLegacy(ALL, {
      ...SCRIPT,
      'resources/subscribe': ({ params }: Sent) =>
        params['uri'] === 'x://bad' ? new ProtocolError(-32002, 'no') : {},
    });
    const changes: unknown[] = [];
    expect(
      await failure(
        client.subscribe({ resourceSubscriptions: ['x://a', 'x://bad'] }, (change) => changes.push(change)),
      ),
    ).toMatchObject({ code: -32002 });
    wire.notify('notifications/resources/updated', { uri: 'x://a' });
    expect(changes).toEqual([]);
    expect(wire.of('resources/unsubscribe').map(({ params }) => params['uri'])).toContain('x://a');
  });

  test('where the server does not offer it nothing is sent', async () => {
    const { client, wire } = await openLegacy({ resources: {} }, SCRIPT);
    const subscription = await client.subscribe({ resourceSubscriptions: ['x://a'] }, () => {});
    expect(subscription.honoured).toEqual({});
    expect(wire.of('resources/subscribe')).toHaveLength(0);
  });
});
