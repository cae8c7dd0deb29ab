import { expect, test } from 'vitest';
import type { EventRecord } from '../governance/index.js';
import { silentLogger } from '../kernel/index.js';
import { logEvents } from './log-events.js';

const LINKS = { at: 0, previousHash: '', hash: '' };

test('a line names what ties it to answers, events and traces, and no more', () => {
  const lines: unknown[] = [];
  const log = logEvents({ ...silentLogger, debug: (fields) => lines.push(fields) }, 'all');
  const call = {
    type: 'call.intended',
    callId: 'c-1',
    connector: 'up',
    target: 'tool',
    exposedName: 'up__tool',
    method: 'tools/call',
    arguments: { bytes: 2 },
    policies: ['p'],
    trace: '00-a-b-01',
  };
  const records = [
    { sequence: 1, actor: { kind: 'agent', id: 'ci' }, event: call },
    {
      sequence: 2,
      actor: { kind: 'admin', id: 'ada', request: 'r-1' },
      event: { type: 'policy.changed', policy: 'p' },
    },
  ];
  for (const record of records) log({ ...LINKS, ...record } as unknown as EventRecord);
  expect(lines).toEqual([
    {
      event: 'call.intended',
      sequence: 1,
      callId: 'c-1',
      connector: 'up',
      method: 'tools/call',
      trace: '00-a-b-01',
    },
    { event: 'policy.changed', sequence: 2, request: 'r-1' },
  ]);
});

test('a failure inside is a warning, whatever else is told', () => {
  const warnings: unknown[] = [];
  const log = logEvents({ ...silentLogger, warn: (fields) => warnings.push(fields) }, 'internal');
  for (const error of ['upstream_timeout', 'internal']) {
    const event = {
      type: 'call.refused',
      callId: `c-${error}`,
      method: 'tools/call',
      outcome: 'failed',
      error,
    };
    log({ ...LINKS, sequence: 1, actor: { kind: 'agent', id: 'ci' }, event } as unknown as EventRecord);
  }
  expect(warnings).toMatchObject([{ callId: 'c-internal', error: 'internal' }]);
});
