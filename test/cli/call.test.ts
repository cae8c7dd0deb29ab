import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { Workplace } from './workplace.js';

const TOOLS = [
  {
    name: 'take',
    description: 'Takes anything.\nSecond line.',
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        count: { type: 'integer' },
        ratio: { type: 'number' },
        flag: { type: 'boolean' },
        list: { type: 'array' },
        map: { type: 'object' },
        either: { type: ['string', 'number'] },
        choice: { enum: [1, 2] },
        maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
    },
  },
  { name: 'fail', inputSchema: { type: 'object' } },
  { name: 'nasty', description: 'Clears \u001b[2J your screen', inputSchema: { type: 'object' } },
  { name: 'mixed', inputSchema: { type: 'object' } },
];

let place: Workplace;
let upstream: ScriptedUpstream;
let received: unknown;

beforeAll(async () => {
  place = await Workplace.open();
  upstream = await startUpstream({
    tools: TOOLS,
    call: (name, args) => {
      received = args;
      if (name === 'fail') return { isError: true, content: [{ type: 'text', text: 'it broke' }] };
      if (name === 'nasty')
        return { content: [{ type: 'text', text: 'a\u001b]0;title\u0007b\u202ec\r\nd\te' }] };
      if (name === 'take')
        return { content: [{ type: 'text', text: 'taken' }], structuredContent: { taken: true } };
      return {
        content: [
          { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          { type: 'resource_link', name: 'log', uri: 'file:///log' },
          { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
        ],
      };
    },
  });
  await place.serve();
  await place.json(['connector', 'add', 'up', '--url', upstream.url]);
});
afterAll(async () => {
  await place?.close();
  await upstream?.close();
});

test('arguments are what the schema says they are', async () => {
  const pairs = [
    'text=5',
    'count=7',
    'ratio=-1.5e3',
    'flag=true',
    'list=[1,"a"]',
    'map={"k":null}',
    'either=12',
    'choice=2',
    'maybe=x=y',
    'other=[true]',
  ];
  expect(await place.run(['call', 'up__take', ...pairs])).toMatchObject({ code: 0, stdout: 'taken\n' });
  expect(received).toEqual({
    text: '5',
    count: 7,
    ratio: -1500,
    flag: true,
    list: [1, 'a'],
    map: { k: null },
    either: 12,
    choice: 2,
    maybe: 'x=y',
    other: [true],
  });
});

test.each<readonly [readonly string[], string]>([
  [['flag=maybe'], 'flag must be true or false, not "maybe"'],
  [['--args', '{"a":'], '--args cannot be read'],
  [['--args', '{}', 'text=a'], 'not both'],
])('%j ends with 2', async (args, message) => {
  const { code, stderr } = await place.run(['call', 'up__take', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('arguments as JSON arrive as they are', async () => {
  const { code } = await place.run(['call', 'up__take', '--args', '{"text":"ä","n":[1.0,{"x":null}]}']);
  expect([code, received]).toEqual([0, { text: 'ä', n: [1, { x: null }] }]);
});

test('arguments that the tool does not allow are refused by the hub: 1', async () => {
  const { code, stderr } = await place.run(['call', 'up__take', '--args', '{"count":"x"}']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('count: must be integer')]);
});

test('an error of the tool ends with 1; what it said is printed', async () => {
  expect(await place.run(['call', 'up__fail'])).toEqual({
    code: 1,
    stdout: 'it broke\n',
    stderr: 'The tool reported an error.\n',
  });
});

test('control characters of an upstream are shown, not obeyed', async () => {
  const { stdout } = await place.run(['call', 'up__nasty']);
  expect(stdout).toBe('a\\u{1b}]0;title\\u{07}b\\u{202e}c\nd\te\n');
  const json = await place.run(['call', 'up__nasty', '--json']);
  expect(json.stdout).not.toMatch(/[\u001b\u202e]/);
  expect(JSON.parse(json.stdout)).toEqual({
    content: [{ type: 'text', text: 'a\u001b]0;title\u0007b\u202ec\r\nd\te' }],
  });
  const tools = await place.run(['tools']);
  expect(tools.stdout).toMatch(/^up__nasty +\S+ +Clears \\u\{1b\}\[2J your screen$/m);
  expect(tools.stdout).toMatch(/^up__take +\S+ +Takes anything\.$/m);
});

test('what is no text is described', async () => {
  const { stdout } = await place.run(['call', 'up__mixed']);
  expect(stdout).toBe('[image image/png, 3 bytes]\n[link log: file:///log]\n[resource file:///a]\ninside\n');
});

test('--json prints the whole result', async () => {
  expect(await place.json(['call', 'up__take'])).toEqual({
    content: [{ type: 'text', text: 'taken' }],
    structuredContent: { taken: true },
  });
});

test('a tool that is not there: 1, with the one that was meant', async () => {
  const { code, stderr } = await place.run(['call', 'take', 'text=a']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Did you mean up__take?')]);
  for (const alike of ['up/take', 'UP_Take'])
    expect((await place.run(['call', alike])).stderr).toContain('Did you mean up__take?');
  expect((await place.run(['call', 'up__take', '--agent', 'nobody'])).stderr).toContain(
    'there is no agent nobody',
  );
  expect(await place.run(['call', 'up__nothing'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'sees no tool called up__nothing\nSee what there is with "crosspoint tools --agent local"',
    ),
  });
});
