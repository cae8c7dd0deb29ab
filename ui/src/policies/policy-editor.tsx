import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { policySchema } from '../api/policies.js';
import { Code } from '../shared/code.js';
import { ProblemNotice } from '../shared/notice.js';
import { CedarEditor } from './cedar-editor.js';

const EXAMPLES = `// Everything of one connector
permit(principal == Agent::"ci", action, resource in Connector::"db");

// A team, by tag, but only what reads
permit(principal, action == Action::"call", resource)
when { principal.tags.contains("team-support") && resource.risk == "read" };

// Nobody destroys, whatever else is permitted
forbid(principal, action == Action::"call", resource)
when { resource.destructive };

// Ask a person before something leaves
@confirm("This leaves the company.")
permit(principal == Agent::"support", action == Action::"call", resource)
when { resource.tags.contains("outside") };

// Only below one folder
permit(principal == Agent::"ci", action == Action::"call", resource in Connector::"files")
when { context has args && context.args.hasTag("path") && context.args.getTag("path") like "/srv/builds/*" };`;

/** The text of a policy, with what can be said in it at hand. */
export function PolicyEditor({
  text,
  readOnly = false,
  problem,
  onText,
}: {
  readonly text: string;
  readonly readOnly?: boolean;
  readonly problem?: ReactNode;
  readonly onText?: (text: string) => void;
}) {
  return (
    <div className="grid gap-4">
      <CedarEditor text={text} readOnly={readOnly} {...(onText !== undefined && { onText })} />
      {problem}
      <Reference />
    </div>
  );
}

/** What can be said, from the hub itself: it is what texts are checked against. */
function Reference() {
  const [open, setOpen] = useState(false);
  const { data: schema, error } = useQuery({ ...policySchema, enabled: open });
  return (
    <details className="panel px-4 py-3" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="font-medium">What policies can speak of, and examples</summary>
      {open && (
        <div className="mt-3 grid gap-3 lg:grid-cols-2">
          {error !== null && <ProblemNotice error={error} />}
          {schema !== undefined && <Code text={schema} label="Schema of policies" tall />}
          <Code text={EXAMPLES} label="Examples of policies" tall />
        </div>
      )}
    </details>
  );
}
