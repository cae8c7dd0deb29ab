import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InputHandlers, McpClient } from '../../src/mcp/client/index.js';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { TASKS_EXTENSION } from '../../src/mcp/model/index.js';
import { connectAgent } from '../support/agent-client.js';
import type { Report } from '../support/bridge/create-everyday-server.js';
import {
  countChildren,
  countResources,
  ERAS,
  keyOf,
  ownOf,
  sharedOf,
  startEverydayHub,
  WAYS,
  type Era,
  type EverydayHub,
  type Way,
} from '../support/bridge/everyday-hub.js';

/**
 * Everything that is more than a question and an answer, from clients of both eras to servers of both eras over both
 * transports, each with two agents at once: each gets what is its own, and when it is over nothing is left.
 */

/** Whom somebody gave up a call of is not asked over a pipe for a while, so clients of each era are agents of their own. */
const PEOPLE = { legacy: ['ada', 'bob'], modern: ['eve', 'dan'] } as const;
/** One of the two never sees the tool that comes and goes. */
const POLICY = `
permit(principal, action, resource);
forbid(principal, action, resource)
when { (principal == Agent::"bob" || principal == Agent::"dan") && resource has name && resource.name == "extra" };
`;

/** One agent's client, and what it was asked. */
interface Person {
  readonly name: string;
  /** Names this very call at the upstream. */
  readonly label: string;
  readonly client: McpClient;
  readonly asked: string[];
  call(tool: string, options?: Parameters<McpClient['callTool']>[2]): Promise<string>;
  report(): Promise<Report>;
}

type Row = (people: readonly Person[], way: Way, clientEra: Era) => Promise<void>;

let started: EverydayHub;
let settled: ReadonlyMap<string, number>;
let cells = 0;

beforeAll(async () => {
  started = await startEverydayHub(Object.values(PEOPLE).flat(), { policy: POLICY });
  for (const way of WAYS) await warmUp(way);
  settled = countResources();
});
afterAll(() => started?.close());

async function meet(name: string, clientEra: Era, way: Way): Promise<Person> {
  const asked: string[] = [];
  const handlers: InputHandlers = {
    elicitation: ({ params }) => {
      asked.push(JSON.stringify(params));
      const content = params?.['mode'] === 'url' ? {} : { content: { word: name } };
      return { action: 'accept', ...content };
    },
    sampling: ({ params }) => {
      asked.push(JSON.stringify(params));
      return { role: 'assistant', model: 'm', content: { type: 'text', text: name } };
    },
    roots: () => ({ roots: [{ uri: `file:///${name}` }] }),
  };
  const client = await connectAgent(started.hub, {
    era: clientEra,
    key: keyOf(name),
    handlers,
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
  });
  const label = `${name}-${cells}`;
  const call: Person['call'] = async (tool, options) => {
    const { content } = await client.callTool(`${ownOf(way)}__${tool}`, { label }, options);
    return String(content[0]?.['text']);
  };
  return {
    name,
    label,
    client,
    asked,
    call,
    report: async () => JSON.parse(await call('report')) as Report,
  };
}

const others = ({ name }: Person): RegExp =>
  // As whole words: a random id may have one of them in it.
  new RegExp(`\\b(?:${['ada', 'bob', 'eve', 'dan'].filter((one) => one !== name).join('|')})\\b`);

/** Both call a tool that asks; each answers in its own name. */
function asking(tool: string, answer: (name: string) => JsonObject): Row {
  return async (people) => {
    const results = await Promise.all(people.map((person) => person.call(tool)));
    expect(results.map((text) => JSON.parse(text) as unknown)).toEqual(
      people.map(({ name }) => answer(name)),
    );
    for (const person of people) {
      expect(person.asked.join()).not.toMatch(others(person));
      const { ledger } = await person.report();
      expect(ledger.filter((label) => label === person.label)).toHaveLength(1);
    }
  };
}

const progress: Row = async (people) => {
  await Promise.all(
    people.map(async (person) => {
      const heard: unknown[] = [];
      await person.call('progress', { onProgress: (update) => heard.push(update) });
      expect(heard.at(-1)).toEqual({ progress: 3, total: 3, message: person.label });
      expect(JSON.stringify(heard)).not.toMatch(others(person));
    }),
  );
};

const logging: Row = async (people, _way, clientEra) => {
  await Promise.all(
    people.map(async (person) => {
      const heard: unknown[] = [];
      if (clientEra === 'legacy') await person.client.setLogLevel('info');
      await person.call('logging', { logLevel: 'info', onLog: ({ data }) => heard.push(data) });
      expect(heard).toEqual([person.label]);
    }),
  );
};

const cancellation: Row = async (people) => {
  const aborters = people.map(() => new AbortController());
  const calls = people.map((person, index) => person.call('wait', { signal: aborters[index]!.signal }));
  const endings = Promise.allSettled(calls);
  const [ada, bob] = people as [Person, Person];
  for (const person of people)
    await expect.poll(async () => (await person.report()).running).toContain(person.label);
  aborters[0]!.abort();
  await expect.poll(async () => (await ada.report()).cancelled).toContain(ada.label);
  const after = await bob.report();
  expect([after.running, after.cancelled]).toEqual([
    expect.arrayContaining([bob.label]),
    expect.not.arrayContaining([bob.label]),
  ]);
  aborters[1]!.abort();
  await expect.poll(async () => (await bob.report()).cancelled).toContain(bob.label);
  expect((await endings).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
};

const subscription: Row = async (people, way) => {
  const before = await Promise.all(people.map(async (person) => (await person.report()).listeners));
  const watching = await Promise.all(
    people.map(async ({ name, client }) => {
      const heard: unknown[] = [];
      const opened = await client.subscribe(
        { resourceSubscriptions: [`test://${ownOf(way)}/${name}`] },
        ({ params }) => heard.push(params?.['uri']),
      );
      return { heard, opened };
    }),
  );
  await Promise.all(
    people.map(({ name, client }) => client.callTool(`${ownOf(way)}__touch`, { label: name })),
  );
  for (const [index, { name }] of people.entries())
    await expect
      .poll(() => watching[index]!.heard, { timeout: 5_000 })
      .toEqual([`test://${ownOf(way)}/${name}`]);
  for (const { opened } of watching) opened.close();
  for (const [index, person] of people.entries())
    await expect.poll(async () => (await person.report()).listeners).toBe(before[index]);
};

const listChanged: Row = async (people, way) => {
  const connector = sharedOf(way);
  const heard = people.map(() => 0);
  const listening = await Promise.all(
    people.map(({ client }, index) => client.subscribe({ toolsListChanged: true }, () => heard[index]!++)),
  );
  const [ada, bob] = people as [Person, Person];
  const sees = async ({ client }: Person): Promise<boolean> =>
    (await client.listTools()).items.some(({ name }) => name === `${connector}__extra`);
  for (const [turn, there] of [true, false].entries()) {
    await ada.client.callTool(`${connector}__toggle`, { label: ada.label });
    await expect.poll(() => heard[0], { timeout: 10_000 }).toBe(turn + 1);
    expect([await sees(ada), await sees(bob)]).toEqual([there, false]);
  }
  expect(heard).toEqual([2, 0]);
  for (const one of listening) one.close();
};

const completion: Row = async (people, way) => {
  const ref = { type: 'ref/prompt', name: `${ownOf(way)}__greet` } as const;
  const completed = await Promise.all(
    people.map(({ name, client }) => client.complete({ ref, argument: { name: 'who', value: name } })),
  );
  expect(completed.map(({ completion: { values } }) => values)).toEqual(
    people.map(({ name }) => [`${name}-1`, `${name}-2`]),
  );
};

/** Declared by this row alone: whoever can follow tasks is served in another way. */
const FOLLOWS = { asTask: {}, capabilities: { extensions: { [TASKS_EXTENSION]: {} } } };

const task: Row = async (people, way) => {
  const begun = await Promise.all(
    people.map(async ({ client, label }) => {
      const answer = await client.startTool(`${ownOf(way)}__task`, { label }, FOLLOWS);
      if (answer.type !== 'task') throw new Error('the call was answered without a task');
      return answer.task;
    }),
  );
  const [adas, bobs] = begun as [(typeof begun)[0], (typeof begun)[0]];
  const [ada, bob] = people as [Person, Person];
  for (const [{ client }, { taskId }] of [
    [ada, bobs],
    [bob, adas],
  ] as const) {
    const anothers = client.followTask(taskId);
    await expect(anothers.get(FOLLOWS)).rejects.toMatchObject({ code: -32_602 });
    await expect(anothers.cancel(FOLLOWS)).rejects.toMatchObject({ code: -32_602 });
  }
  const results = await Promise.all(
    people.map(({ client }, index) => client.awaitTask(begun[index]!, FOLLOWS)),
  );
  expect(results.map(({ content }) => content[0]?.['text'])).toEqual(
    people.map(({ label }) => JSON.stringify(label)),
  );
  // Whoever did not say that it can follow a task gets what became of it.
  expect(await ada.call('task')).toBe(JSON.stringify(ada.label));
  const { ledger } = await ada.report();
  expect(ledger.filter((label) => label === ada.label)).toHaveLength(2);
};

const ROWS: Readonly<Record<string, Row>> = {
  'elicitation by form': asking('form', (word) => ({ action: 'accept', content: { word } })),
  'elicitation by URL': asking('url', () => ({ action: 'accept' })),
  sampling: asking('sampling', (text) => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text },
  })),
  roots: asking('roots', (name) => ({ roots: [{ uri: `file:///${name}` }] })),
  progress,
  logging,
  cancellation,
  subscription,
  'changed lists': listChanged,
  completion,
  task,
};

/** Conversations that are opened once and stay. */
async function warmUp(way: Way): Promise<void> {
  for (const [era, name] of ERAS.flatMap((one) => PEOPLE[one].map((who) => [one, who] as const))) {
    const { client, report } = await meet(name, era, way);
    await report();
    await client.callTool(`${sharedOf(way)}__report`, {});
    // As somebody who can be asked nothing.
    await client.callTool(`${ownOf(way)}__report`, {}, { capabilities: {} });
    await client.complete({
      ref: { type: 'ref/prompt', name: `${ownOf(way)}__greet` },
      argument: { name: 'who', value: name },
    });
    const watching = await client.subscribe(
      { resourceSubscriptions: [`test://${ownOf(way)}/${name}`] },
      () => {},
    );
    watching.close();
    await client.close();
  }
}

describe.each(WAYS)('a $era upstream over $transport', (way) => {
  describe.each(ERAS)('a %s client', (clientEra) => {
    test.each(Object.entries(ROWS))('%s', async (_name, row) => {
      cells++;
      const people = await Promise.all(PEOPLE[clientEra].map((name) => meet(name, clientEra, way)));
      const reports = (): Promise<readonly Report[]> => Promise.all(people.map((person) => person.report()));
      const before = await reports();
      const children = countChildren();
      try {
        await row(people, way, clientEra);
        const after = await reports();
        expect(after.map(({ running }) => running)).toEqual(people.map(() => []));
        expect(after.map(({ listeners }) => listeners)).toEqual(before.map(({ listeners }) => listeners));
        expect(started.hub.running.hub.held.size).toBe(0);
        expect(countChildren()).toBe(children);
      } finally {
        await Promise.all(people.map(({ client }) => client.close()));
      }
    });
  });
});

test('nothing is left of all this: no socket, no timer, no process', async () => {
  const left = (kind: string): number => (countResources().get(kind) ?? 0) - (settled.get(kind) ?? 0);
  // Connections that are kept for the next call would be there for a while.
  const { catalog, upstreams } = started.hub.running.hub;
  await Promise.all(catalog.connectors().map(({ id }) => upstreams.drop(id)));
  // Whoever waits has two timers himself: for the next look, and for the end.
  for (const [kind, own] of [
    ['TCPSocketWrap', 0],
    ['PipeWrap', 0],
    ['ProcessWrap', 0],
    ['Timeout', 2],
  ] as const)
    await expect.poll(() => left(kind), { timeout: 15_000, message: kind }).toBeLessThanOrEqual(own);
});
