/** What the builder was told. */
export interface AccessWish {
  readonly agent: string;
  readonly connector: string;
  /** Upstream names; empty: every tool. */
  readonly tools: readonly string[];
  readonly limit: 'everything' | 'read' | 'confirm_writes';
}

/** The statement that permits it. */
export function writePolicy({ agent, connector, tools, limit }: AccessWish): string {
  const scopes =
    tools.length === 0
      ? [`resource in Connector::${quote(connector)}`]
      : tools.map((tool) => `resource == Tool::${quote(`${connector}/${tool}`)}`);
  const who = `principal == Agent::${quote(agent)}`;
  return scopes.map((scope) => statements(who, scope, limit, tools.length === 0)).join('\n');
}

function statements(who: string, scope: string, limit: AccessWish['limit'], wholeConnector: boolean): string {
  const action = wholeConnector && limit === 'everything' ? 'action' : 'action == Action::"call"';
  const permit = `permit(${who}, ${action}, ${scope})`;
  switch (limit) {
    case 'everything':
      return `${permit};\n`;
    case 'read':
      return `${permit}\nwhen { resource.risk == "read" };\n`;
    case 'confirm_writes':
      return `${permit};\n\n@confirm("This changes something.")\npermit(${who}, action == Action::"call", ${scope})\nwhen { resource.risk != "read" };\n`;
  }
}

/** A string of Cedar. Names come from upstreams, so whatever is in them must stay inside the quotes. */
function quote(text: string): string {
  const escaped = text.replaceAll(/["\\\p{C}]/gu, (found) =>
    found === '"' || found === '\\' ? `\\${found}` : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return `"${escaped}"`;
}
