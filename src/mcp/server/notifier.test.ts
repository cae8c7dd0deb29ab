import { expect, test } from 'vitest';
import type { ChangeNotification, SubscriptionFilter } from '../model/index.js';
import type { Subscription } from './handler.js';
import { createNotifier, type Notifier } from './notifier.js';

async function listen(
  notifier: Notifier,
  filter: SubscriptionFilter,
): Promise<{ heard: ChangeNotification[]; subscription: Subscription }> {
  const heard: ChangeNotification[] = [];
  const subscription = await notifier.listen({ principal: 'p', filter, emit: (each) => heard.push(each) });
  return { heard, subscription };
}

test('tells each listener what it asked for, until it closes', async () => {
  const notifier = createNotifier();
  const lists = await listen(notifier, {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
  });
  const resource = await listen(notifier, { resourceSubscriptions: ['a:b'], taskIds: ['t'] });
  const everything = (): void => {
    notifier.toolsChanged();
    notifier.promptsChanged();
    notifier.resourcesChanged();
    notifier.resourceUpdated('a:b');
    notifier.resourceUpdated('a:c');
    notifier.notify({ method: 'notifications/tasks', params: { taskId: 't' } });
    notifier.notify({ method: 'notifications/tasks', params: { taskId: 'u' } });
  };
  everything();
  expect(lists.heard.map((each) => each.method)).toEqual([
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
  ]);
  expect(resource.heard.map((each) => each.params)).toEqual([{ uri: 'a:b' }, { taskId: 't' }]);
  expect(resource.subscription.honoured).toEqual({ resourceSubscriptions: ['a:b'], taskIds: ['t'] });
  lists.subscription.close();
  lists.subscription.close();
  everything();
  expect([lists.heard.length, resource.heard.length]).toEqual([3, 4]);
});
