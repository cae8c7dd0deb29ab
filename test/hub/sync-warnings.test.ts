import { expect, test } from 'vitest';
import { createLogger } from '../../src/app/index.js';
import { until } from '../support/http/until.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub } from '../support/start-hub.js';

/** Whoever watches a hub start learns from its log which connectors do not work. */

const keep = closeAfterEach();

test('a connector that cannot be synced is a line when it begins, and one when it is over', async () => {
  let broken = true;
  const upstream = keep(
    await startUpstream({
      intercept: (_, response) => {
        if (broken) response.writeHead(500).end();
        return broken;
      },
    }),
  );
  const closed = keep(
    await startUpstream({
      intercept: (_, response) => {
        response.writeHead(401).end();
        return true;
      },
    }),
  );
  const lines: { readonly level: string; readonly connector?: string; readonly error?: string }[] = [];
  const logger = createLogger({
    level: 'info',
    format: 'json',
    write: (line) => void lines.push(JSON.parse(line) as never),
  });
  keep(
    await startTestHub({
      logger,
      config: {
        connectors: {
          up: { url: upstream.url },
          typo: { command: 'there-is-no-such-command' },
          own: { url: closed.url, auth: { type: 'bearer' }, credentialMode: 'per_agent' },
        },
      },
    }),
  );
  const of = (name: string) => lines.filter(({ connector }) => connector === name);
  const levels = (name: string) => of(name).map(({ level }) => level);
  await until(() => ['up', 'typo', 'own'].every((name) => of(name).length > 0), 'a line for each');
  // Several attempts of one that stays broken are one line.
  broken = false;
  await until(() => of('up').length > 1, 'the end of it');
  expect([levels('up'), levels('typo'), levels('own')]).toEqual([['warn', 'info'], ['warn'], ['info']]);
  expect(of('typo')[0]?.error).toContain('ENOENT');
});
