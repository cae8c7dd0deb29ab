import { Code } from '../shared/code.js';
import { writeJson } from '../shared/exact-json.js';
import type { Arguments } from './schema-fields.js';

/** One word for a shell, whatever is in it. */
function shellWord(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The call as a line for the command line and for curl. */
export function CallLines({
  tool,
  agent,
  args,
}: {
  readonly tool: string;
  readonly agent: string;
  readonly args: Arguments;
}) {
  const json = writeJson(args);
  const cli = `npx crosspoint call ${shellWord(tool)} --agent ${shellWord(agent)} --args ${shellWord(json)}`;
  const curl = [
    `curl ${window.location.origin}/mcp/tools/call`,
    `  -H "Authorization: Bearer $CROSSPOINT_KEY" -H 'Content-Type: application/json'`,
    `  -d ${shellWord(writeJson({ name: tool, arguments: args }))}`,
  ].join(' \\\n');
  return (
    <div className="grid gap-3">
      <Code label="Command line" text={cli} />
      <Code label="curl" text={curl} />
      <p className="text-sm text-muted">curl needs a key of the agent in CROSSPOINT_KEY.</p>
    </div>
  );
}
