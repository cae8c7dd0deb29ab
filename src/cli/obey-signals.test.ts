import { expect, onTestFinished, test } from 'vitest';
import { obeySignals } from './obey-signals.js';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** What is ordered, and what is told while it is. */
function setUp() {
  const told: string[] = [];
  const tell = (what: string) => () => void told.push(what);
  const before = SIGNALS.map((signal) => process.listeners(signal));
  const obey = obeySignals({
    onStopping: tell('stopping'),
    stopAtOnce: tell('stop at once'),
    stopEarly: tell('stop early'),
  });
  onTestFinished(() => {
    for (const [index, signal] of SIGNALS.entries())
      for (const listener of process.listeners(signal))
        if (before[index]?.includes(listener) !== true) process.off(signal, listener);
  });
  return { told, start: () => obey({ reload: tell('reload'), stop: tell('stop') }) };
}

test('a hub is reloaded and stopped, and whoever asks twice does not wait', () => {
  const { told, start } = setUp();
  start();
  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.emit(signal);
  expect(told).toEqual(['reload', 'stopping', 'stop', 'reload', 'stop at once']);
});

test('one that starts is not ended by a reload, which waits, and has nothing to wait for when it is stopped', () => {
  const { told, start } = setUp();
  process.emit('SIGHUP');
  process.emit('SIGHUP');
  expect(told).toEqual([]);
  start();
  expect(told).toEqual(['reload']);
  const early = setUp();
  process.emit('SIGTERM');
  expect(early.told).toEqual(['stop early']);
});
