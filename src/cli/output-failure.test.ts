import { expect, test } from 'vitest';
import { decideOutputEnd, type OutputEnd } from './output-failure.js';

test.each<readonly [string | undefined, string, OutputEnd | undefined]>([
  ['tools', 'EPIPE', { exitCode: 0 }],
  ['tools', 'ENOSPC', { exitCode: 1, note: 'crosspoint: the output cannot be written (ENOSPC)' }],
  [undefined, 'EIO', { exitCode: 1, note: 'crosspoint: the output cannot be written (EIO)' }],
  ['serve', 'EPIPE', undefined],
  ['serve', 'ENOSPC', undefined],
])('%s whose output fails with %s', (command, code, expected) => {
  expect(decideOutputEnd(Object.assign(new Error('no'), { code }), command)).toEqual(expected);
});
