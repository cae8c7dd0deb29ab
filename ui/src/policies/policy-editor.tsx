import type { ReactNode } from 'react';
import { TextArea } from '../shared/field.js';
import { Code } from '../shared/code.js';

const SCHEMA = `entity Agent = { "tags": Set<String> };
entity Connector = { "tags": Set<String> };
entity Toolset;
entity Tool in [Connector, Toolset] = {
  "name": String, "risk": String, "tags": Set<String>,
  "readOnly": Bool, "destructive": Bool, "idempotent": Bool, "openWorld": Bool,
};
entity Prompt in [Connector] = { "name": String };
entity Resource in [Connector] = { "uri": String };

action "list", "call", "get", "read"
context: { "args"?: Arguments, "numbers"?: Numbers, "now": datetime }`;

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
      <TextArea
        label="Text (Cedar)"
        rows={14}
        required
        readOnly={readOnly}
        value={text}
        {...(onText !== undefined && { onText })}
        {...(!readOnly && {
          hint: 'It is checked for syntax and names, together with all other policies, when you save it.',
        })}
      />
      {problem}
      <details className="panel px-4 py-3">
        <summary className="font-medium">What policies can speak of, and examples</summary>
        <div className="mt-3 grid gap-3 lg:grid-cols-2">
          <Code text={SCHEMA} label="Schema of policies" tall />
          <Code text={EXAMPLES} label="Examples of policies" tall />
        </div>
      </details>
    </div>
  );
}
