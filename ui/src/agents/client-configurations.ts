/** What to paste where, so that a client speaks to the hub as an agent. */
export interface ClientConfiguration {
  readonly id: string;
  readonly client: string;
  /** Where it goes. */
  readonly place: string;
  readonly text: string;
}

const NAME = 'crosspoint';

export function clientConfigurations(url: string, key: string): readonly ClientConfiguration[] {
  const headers = { Authorization: `Bearer ${key}` };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return [
    {
      id: 'claude-code',
      client: 'Claude Code',
      place: 'Run in a terminal.',
      text: `claude mcp add --transport http ${NAME} ${url} \\\n  --header "Authorization: Bearer ${key}"`,
    },
    {
      id: 'claude-desktop',
      client: 'Claude Desktop',
      place:
        'Settings, Developer, Edit Config: claude_desktop_config.json. It reaches remote servers through mcp-remote.',
      text: json({
        mcpServers: {
          [NAME]: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTH_HEADER}'],
            env: { AUTH_HEADER: headers.Authorization },
          },
        },
      }),
    },
    {
      id: 'cursor',
      client: 'Cursor',
      place: '~/.cursor/mcp.json, or .cursor/mcp.json of a project.',
      text: json({ mcpServers: { [NAME]: { url, headers } } }),
    },
    {
      id: 'vscode',
      client: 'VS Code',
      place: '.vscode/mcp.json of a folder, or «MCP: Open User Configuration».',
      text: json({ servers: { [NAME]: { type: 'http', url, headers } } }),
    },
    {
      id: 'windsurf',
      client: 'Windsurf',
      place: '~/.codeium/windsurf/mcp_config.json',
      text: json({ mcpServers: { [NAME]: { serverUrl: url, headers } } }),
    },
    {
      id: 'codex',
      client: 'Codex',
      place: '~/.codex/config.toml, with the key in the variable CROSSPOINT_KEY.',
      text: `[mcp_servers.${NAME}]\nurl = "${url}"\nbearer_token_env_var = "CROSSPOINT_KEY"\n\n# in the shell:\n# export CROSSPOINT_KEY=${key}`,
    },
    {
      id: 'other',
      client: 'Other clients',
      place: 'Most clients take this form in their configuration, some with another name for the type.',
      text: json({ mcpServers: { [NAME]: { type: 'streamable-http', url, headers } } }),
    },
  ];
}
