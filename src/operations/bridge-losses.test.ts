import { expect, test } from 'vitest';
import type { HubEvent } from '../governance/index.js';
import { toConnectorId } from '../kernel/index.js';
import { createBridgeLosses } from './bridge-losses.js';

const connector = toConnectorId('db');

function open() {
  const kept: HubEvent[] = [];
  const losses = createBridgeLosses({
    events: { append: (_actor, event) => void kept.push(event) },
    clock: { now: () => 0, monotonic: () => 0 },
  });
  return { kept, losses };
}

test.each([
  ['the same', () => 'roots/list'],
  ['ever new', (index: number) => `made/up-${index}`],
])('a server that keeps asking %s things does not fill the log', (_what, methodOf) => {
  const { kept, losses } = open();
  for (let index = 0; index < 100; index++)
    losses.questionRefused({ connector, method: methodOf(index), reason: 'undeclared' });
  expect(kept).toHaveLength(10);
  losses.questionRefused({ connector, method: 'sampling/createMessage', reason: 'undeclared' });
  losses.questionRefused({ connector: toConnectorId('other'), method: methodOf(0), reason: 'undeclared' });
  expect(kept).toHaveLength(12);
});
