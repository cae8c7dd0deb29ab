/** What policies can speak of. Shown by the admin API and the console; every policy is checked against it. */
export const POLICY_SCHEMA = `// Who asks. Scopes are those of the access token it came with, and absent where it came with a key:
// principal has scopes && principal.scopes.contains("tools:write")
entity Agent = { "tags": Set<String>, "scopes"?: Set<String> };

// What is asked for. Tools, prompts and resources belong to their connector: "resource in Connector::\\"db\\"".
entity Connector = { "tags": Set<String> };
entity Toolset;
// Named "connector/tool". risk is "read", "write" or "destructive"; annotations are what the upstream claims.
entity Tool in [Connector, Toolset] = {
  "name": String,
  "risk": String,
  "tags": Set<String>,
  "readOnly": Bool,
  "destructive": Bool,
  "idempotent": Bool,
  "openWorld": Bool,
};
entity Prompt in [Connector] = { "name": String };
entity Resource in [Connector] = { "uri": String };

// Arguments of a call by dotted path, as text; whole numbers also as numbers:
// context.args.hasTag("path") && context.args.getTag("path") like "/srv/*"
entity Arguments tags String;
entity Numbers tags Long;

// seen has the tags of everything that was used before in the same conversation.
type Circumstances = { "args"?: Arguments, "numbers"?: Numbers, "now": datetime, "seen": Set<String> };

// To use something is to see it, unless "list" is forbidden.
action "list" appliesTo { principal: [Agent], resource: [Tool, Prompt, Resource], context: Circumstances };
action "call" appliesTo { principal: [Agent], resource: [Tool], context: Circumstances };
action "get" appliesTo { principal: [Agent], resource: [Prompt], context: Circumstances };
action "read" appliesTo { principal: [Agent], resource: [Resource], context: Circumstances };
`;
