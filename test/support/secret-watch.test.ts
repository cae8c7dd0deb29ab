import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SecretWatch } from './secret-watch.js';
import { startTestHub } from './start-hub.js';

test('a secret in the log or in a file is found, and one that is kept sealed is not', async () => {
  const hub = await startTestHub();
  try {
    const { hub: parts, folder } = hub.running;
    const watch = new SecretWatch();
    const secrets = await watch.secretsOf(hub.running, { agents: { ci: { keys: ['ci-key-0123456789'] } } });
    const check = () => watch.requireNoneShown(secrets, folder.path);
    expect(check).not.toThrow();

    writeFileSync(join(folder.path, 'note.txt'), `key: ${folder.masterKeys.active.key.toString('hex')}`);
    expect(check).toThrow(/master key in note\.txt/);
    watch.logger.child({ part: 'x' }).debug({ key: 'ci-key-0123456789' }, 'who is it');
    expect(check).toThrow(/key of ci in the log/);

    writeFileSync(join(folder.path, 'note.txt'), '');
    parts.events.append({ kind: 'hub' }, { type: 'config.refused', reason: `what about ${hub.adminToken}?` });
    await parts.events.flush();
    expect(check).toThrow(/admin token in hub\.db/);
  } finally {
    await hub.running.stop();
  }
});
