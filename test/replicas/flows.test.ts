import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SHARED_BY, useSharedPlace } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { RovingClient } from '../support/roving-client.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { waitForSync } from '../support/start-hub.js';

/** What a conversation has used is known wherever its next request goes. */

const keep = closeAfterEach();
const POLICY = `forbid(principal, action == Action::"call", resource)
when { resource.tags.contains("egress") && context.seen.contains("untrusted") };`;

describe.each(SHARED_BY)('%s', (by) => {
  const place = useSharedPlace(by);

  test('B1.12: a flow that began at one replica is forbidden at the other, also when the first is gone', async () => {
    const upstream = keep(
      await startUpstream({
        tools: ['fetch', 'send'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      }),
    );
    writeFileSync(join(place().folder, 'flows.cedar'), POLICY);
    const config = {
      connectors: { up: { url: upstream.url, toolTags: { fetch: ['untrusted'], send: ['egress'] } } },
      policies: ['flows.cedar'],
    };
    const first = await place().start(config);
    const second = keep(await place().start(config));
    for (const hub of [first, second]) await waitForSync(hub, 'up');
    const client = keep(new RovingClient([first.url, second.url], first.localKey));
    const call = async (at: number, name: string) =>
      JSON.stringify((await client.request(at, 'tools/call', { name, arguments: {} })).message);
    try {
      await client.initialize(0, 1);
      expect(await call(1, 'up__send')).not.toMatch(/denies/);
      expect(await call(0, 'up__fetch')).not.toMatch(/denies/);
      expect(await call(1, 'up__send')).toMatch(/because of what this conversation has used before/);
    } finally {
      await first.close();
    }
    expect(await call(1, 'up__send')).toMatch(/because of what this conversation has used before/);
  }, 120_000);
});
