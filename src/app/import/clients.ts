import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The programs whose files we can read. */
export const CLIENTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'windsurf', 'codex'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** Where we look. */
export interface ClientPlace {
  readonly home: string;
  /** The working folder: clients keep files for one project there. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function systemPlace(folder: string, environment: ClientPlace['environment']): ClientPlace {
  return { home: environment['HOME'] || homedir(), folder, platform: process.platform, environment };
}

/** Every file a client reads its servers from, the one that wins first. */
export function clientFiles(client: ClientName, place: ClientPlace): readonly string[] {
  const { home, folder, environment } = place;
  switch (client) {
    case 'claude-code':
      return [join(folder, '.mcp.json'), join(environment['CLAUDE_CONFIG_DIR'] || home, '.claude.json')];
    case 'claude-desktop':
      return [join(settingsFolder(place), 'Claude', 'claude_desktop_config.json')];
    case 'cursor':
      return [join(folder, '.cursor', 'mcp.json'), join(home, '.cursor', 'mcp.json')];
    case 'vscode':
      return [
        join(folder, '.vscode', 'mcp.json'),
        join(settingsFolder(place), 'Code', 'User', 'mcp.json'),
        join(settingsFolder(place), 'Code', 'User', 'settings.json'),
      ];
    case 'windsurf':
      return [join(home, '.codeium', 'windsurf', 'mcp_config.json')];
    case 'codex':
      return [
        join(folder, '.codex', 'config.toml'),
        join(environment['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
      ];
  }
}

/**
 * Whether the client whose file this is fills in `${NAME}`. To others that is text for the program they start; what they
 * fill in has a prefix, as in `${env:NAME}`.
 */
export function fillsBareNames(file: string): boolean {
  const name = basename(file);
  const isEditors = ['.vscode', '.cursor', 'User'].includes(basename(dirname(file)));
  return !(
    isEditors ||
    name.endsWith('.toml') ||
    ['claude_desktop_config.json', 'mcp_config.json'].includes(name)
  );
}

/** Where programs of this system keep their settings. */
function settingsFolder({ home, platform, environment }: ClientPlace): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment['APPDATA'] || join(home, 'AppData', 'Roaming');
  return environment['XDG_CONFIG_HOME'] || join(home, '.config');
}
