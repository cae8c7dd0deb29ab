import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { Workplace } from './workplace.js';

const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });

let place: Workplace;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  place = await Workplace.open();
  upstream = await startUpstream({ tools: [tool('list'), tool('close')] });
  const config = { connectors: { tracker: { url: upstream.url, changedTools: 'hold' } } };
  writeFileSync(place.path('crosspoint.yaml'), JSON.stringify(config));
  await place.serve();
});
afterAll(async () => {
  await place?.close();
  await upstream?.close();
});

test('what is set aside is named by sync and doctor, with what to do', async () => {
  expect(await place.run(['connector', 'sync', 'tracker'])).toMatchObject({ code: 0 });
  const tools = [tool('list', 'other words'), tool('close'), tool('bad\u001bname')];
  upstream.script = { ...upstream.script, tools };
  const expected = 'definition changed: list. See the change in the console, then offer it again with';
  const { code, stderr } = await place.run(['connector', 'sync', 'tracker']);
  expect([code, stderr]).toEqual([0, expect.stringContaining(expected)]);
  expect(stderr).toContain('Cannot be offered: bad\\u{1b}name (');
  expect((await place.run(['doctor', 'tracker'])).stdout).toContain(expected);
  const accepted = await place.run(['connector', 'sync', 'tracker', '--accept']);
  expect(accepted.stdout).toContain('+ list');
  expect(accepted.stderr).not.toContain('definition changed');
});

test('a variable with which the file could not be read is not written into it', async () => {
  const before = readFileSync(place.path('crosspoint.yaml'), 'utf8');
  const added = ['connector', 'add', 'own', '--env', 'A=${HOME}', '--', process.execPath];
  expect(await place.run(added)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('connectors.own.env.A: ${…} is not replaced here'),
  });
  expect(readFileSync(place.path('crosspoint.yaml'), 'utf8')).toBe(before);
});
