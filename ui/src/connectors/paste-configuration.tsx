import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toProblem } from '../api/problem.js';
import { useConnectorWrites } from '../api/connectors.js';
import { Badge } from '../shared/badge.js';
import { Button } from '../shared/button.js';
import { Code } from '../shared/code.js';
import { TextArea } from '../shared/field.js';
import { AttemptOutcome, TestButton, useAdditionCheck } from './addition-check.js';
import { Notice } from '../shared/notice.js';
import { PlainLine } from '../shared/plain.js';
import { readPasted, type Pasted, type PastedServer } from './pasted-servers.js';

type Outcome =
  | { readonly state: 'added'; readonly tools?: number; readonly problem?: string }
  | { readonly state: 'refused'; readonly problem: string };

const EXAMPLE = `{
  "mcpServers": {
    "docs": { "url": "https://mcp.example.com/mcp" }
  }
}`;

/** Where programs keep it; the command line finds these by itself. */
const PLACES = [
  { program: 'Claude Code', path: '~/.claude.json, or .mcp.json in a project' },
  { program: 'Claude Desktop', path: 'Settings, Developer, Edit Config: claude_desktop_config.json' },
  { program: 'Cursor', path: '~/.cursor/mcp.json' },
  { program: 'VS Code', path: '.vscode/mcp.json, or the command «MCP: Open User Configuration»' },
];

/** Takes over the servers of another program, one after another. */
export function PasteConfiguration() {
  const [text, setText] = useState('');
  const [pasted, setPasted] = useState<Pasted>();
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>>>({});
  const [busy, setBusy] = useState(false);
  const { add, sync } = useConnectorWrites();
  const servers = pasted !== undefined && 'servers' in pasted ? pasted.servers : [];
  const remote = servers.filter((server) => server.kind === 'remote');

  async function addOne({ addition }: Extract<PastedServer, { kind: 'remote' }>): Promise<Outcome> {
    try {
      await add.mutateAsync(addition);
    } catch (error) {
      return { state: 'refused', problem: toProblem(error).text };
    }
    try {
      const { tools } = await sync.mutateAsync({ id: addition.id });
      return { state: 'added', tools };
    } catch (error) {
      return { state: 'added', problem: toProblem(error).text };
    }
  }

  async function addAll(): Promise<void> {
    setBusy(true);
    for (const server of remote) {
      const outcome = await addOne(server);
      setOutcomes((before) => ({ ...before, [server.name]: outcome }));
    }
    setBusy(false);
  }

  return (
    <div className="grid max-w-2xl gap-4">
      <TextArea
        label="Configuration"
        rows={10}
        placeholder={EXAMPLE}
        hint="The mcpServers of Claude or Cursor, or the servers of VS Code. Tokens in it are kept encrypted."
        value={text}
        onText={(next) => {
          setText(next);
          setPasted(undefined);
          setOutcomes({});
        }}
      />
      <details className="text-sm">
        <summary className="w-fit text-muted">Where is it?</summary>
        <dl className="mt-2 grid gap-x-4 gap-y-1 sm:grid-cols-[max-content_1fr]">
          {PLACES.map(({ program, path }) => (
            <div key={program} className="contents">
              <dt>{program}</dt>
              <dd className="mono wrap-anywhere text-muted">{path}</dd>
            </div>
          ))}
        </dl>
      </details>
      <div className="flex flex-wrap gap-2">
        <Button
          kind={servers.length === 0 ? 'primary' : 'plain'}
          disabled={text.trim() === ''}
          onClick={() => setPasted(readPasted(text))}
        >
          Read
        </Button>
        {remote.length > 0 && (
          <Button
            kind="primary"
            busy={busy}
            disabled={Object.keys(outcomes).length > 0}
            onClick={() => void addAll()}
          >
            Add {remote.length} {remote.length === 1 ? 'connector' : 'connectors'}
          </Button>
        )}
      </div>
      {pasted !== undefined && 'problem' in pasted && <Notice tone="bad">{pasted.problem}</Notice>}
      {servers.length > 0 && (
        <ul className="panel divide-y divide-line" aria-label="Servers found">
          {servers.map((server) => (
            <li key={server.name} className="px-4 py-3">
              <ServerRow server={server} outcome={outcomes[server.name]} />
            </li>
          ))}
        </ul>
      )}
      {servers.some(({ kind }) => kind === 'command') && (
        <Notice tone="info">
          <p>
            Commands run on the machine of the hub, so they are added there. Save the configuration as a file
            and run:
          </p>
          <Code label="Command that imports the file" text="npx crosspoint import mcp.json" />
        </Notice>
      )}
    </div>
  );
}

function ServerRow({
  server,
  outcome,
}: {
  readonly server: PastedServer;
  readonly outcome: Outcome | undefined;
}) {
  const check = useAdditionCheck(server);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <PlainLine text={server.name} className="font-medium" most={80} />
        {server.kind === 'command' && <Badge>runs a command</Badge>}
        {server.kind === 'unreadable' && <Badge tone="bad">{server.reason}</Badge>}
        {outcome?.state === 'added' && <Badge tone="good">added</Badge>}
        {outcome?.state === 'refused' && <Badge tone="bad">not added</Badge>}
      </p>
      <p className="mono text-muted">
        <PlainLine
          text={
            server.kind === 'remote'
              ? (server.addition.url ?? '')
              : server.kind === 'command'
                ? server.line
                : ''
          }
        />
      </p>
      {outcome?.state === 'added' && server.kind === 'remote' && (
        <p className="text-sm">
          {outcome.tools === undefined
            ? `Sync failed: ${outcome.problem ?? ''} `
            : `Discovered ${outcome.tools} ${outcome.tools === 1 ? 'tool' : 'tools'}. `}
          <Link to="/connectors/$id" params={{ id: server.addition.id }} className="text-accent underline">
            Open {server.addition.id}
          </Link>
        </p>
      )}
      {outcome?.state === 'refused' && <p className="text-sm text-bad">{outcome.problem}</p>}
      {outcome === undefined && server.kind === 'remote' && (
        <div className="mt-2 grid justify-items-start gap-2">
          <TestButton small check={check} onClick={() => check.run(server.addition)} />
          <AttemptOutcome check={check} />
        </div>
      )}
    </>
  );
}
