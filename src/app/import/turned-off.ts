import { basename, join } from 'node:path';
import type { ClientPlace } from './clients.js';
import { asObject, readSettings, type ServerEntry, type Settings } from './read-client-file.js';

/** Whether the user of claude-code turned a server off in this folder, or refused one that the project offers. */
export function createTurnedOff(place: ClientPlace): (entry: ServerEntry) => boolean {
  const { home, folder, environment } = place;
  const user = environment['CLAUDE_CONFIG_DIR'];
  const own = asObject(asObject(tryRead(join(user || home, '.claude.json'))['projects'])[folder]);
  const choices = [
    own,
    tryRead(join(folder, '.claude', 'settings.local.json')),
    tryRead(join(folder, '.claude', 'settings.json')),
    tryRead(join(user || join(home, '.claude'), 'settings.json')),
  ];
  const off = new Set(namesIn(own['disabledMcpServers']));
  const refused = new Set(choices.flatMap((settings) => namesIn(settings['disabledMcpjsonServers'])));
  return ({ name, file }) => {
    const isShared = basename(file) === '.mcp.json';
    return (
      (isShared && refused.has(name)) || ((isShared || basename(file) === '.claude.json') && off.has(name))
    );
  };
}

/** A file that is not there, or no settings, turns nothing off. */
function tryRead(file: string): Settings {
  try {
    return readSettings(file);
  } catch {
    return {};
  }
}

function namesIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
