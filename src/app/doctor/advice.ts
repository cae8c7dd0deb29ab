const UNREACHED =
  'What stands before the server does not reach it, or it is overloaded: look whether it runs, and into the logs of both.';

/** What the status of an answer tells of a server, or of something between it and us. */
const STATUS_ADVICE: Readonly<Record<number, string>> = {
  400: 'It does not take what it is sent. If it keeps sessions, something between may drop the header Mcp-Session-Id; ask it without a proxy.',
  405: 'Look whether the path is right: most servers answer at /mcp, older ones at /sse.',
  406: 'It answers only to who accepts JSON and event streams, as Crosspoint does: something between may change the header Accept.',
  407: 'A proxy on the way wants to know who asks, which Crosspoint does not tell it: reach the server without that proxy.',
  413: 'It takes no request of this size.',
  415: 'It does not take JSON: look whether the path is that of an MCP server.',
  421: 'It is addressed by a name that it does not answer to: look at the host in the address.',
  429: 'It is asked too often: wait, or ask whoever runs it for a higher limit.',
  502: UNREACHED,
  503: UNREACHED,
  504: UNREACHED,
};

export function adviceForStatus(status: unknown): string {
  if (typeof status !== 'number')
    return 'The hub cannot reach it, whatever this machine can: look whether both use the same network and proxy.';
  const advice = STATUS_ADVICE[status];
  if (advice !== undefined) return advice;
  if (status === 404) return PATH_ADVICE;
  return status < 500 ? STATUS_REFUSED : BROKEN;
}

export const PATH_ADVICE =
  'Look whether the address is that of an MCP server: most answer at /mcp, older ones at /sse.';
export const PAGE_ADVICE = `${PATH_ADVICE} A proxy before it may also show a page to sign in.`;
export const REDIRECT_ADVICE =
  'Redirects are not followed: set the address it leads to. Often that is the same with a / at the end, or without one, or with https.';
export const REFUSED_ADVICE =
  'That is what the server itself says. If it misses a session or a header, something between may drop it: ask it without a proxy. Else look into its log.';
export const SESSION_ADVICE =
  'Copies of it behind a balancer must share their sessions, or a client must stay with one of them; else look into its log.';
export const BROKEN_OFF_ADVICE = 'The server, or a proxy before it, breaks off: look into its log.';
export const SIZE_ADVICE = 'Raise "limits.responseBytes" of the connector, or have the server offer less.';
export const PAGES_ADVICE = 'The server pages wrongly: tell whoever wrote it.';
export const VERSION_ADVICE = 'The server is too old or too new for this version of Crosspoint.';
const STATUS_REFUSED =
  'It does not take what it is sent: look whether the address is right, and into its log.';
const BROKEN = 'The server is broken or overloaded: look into its log.';

/** What to do where an upstream answers well and offers little. */
export function adviceForOffer(tools: number, rejected: number): string | undefined {
  if (tools > 0 || rejected > 0) return undefined;
  return 'If you expect some: look whether the server shows them only to who signs in, or only when they are switched on there.';
}

/** What to do about calls that end in this way. By the code that the event log has. */
export function adviceForCalls(error: string, id: string): string {
  switch (error) {
    case 'arguments_invalid':
      return `The model sends arguments that do not fit the tool's schema; see it with "crosspoint tools --connector ${id}". If the schema is right, say more in the tool's description.`;
    case 'policy_denied':
    case 'flow_denied':
    case 'confirmation_required':
      return 'See which policy decides with "crosspoint policy explain --agent AGENT --tool TOOL".';
    case 'credential_required':
      return `Sign in with "crosspoint connector connect ${id}", for an agent with --agent AGENT.`;
    case 'unknown_tool':
      return `Clients call what is not there any more, or what they may not see; list it with "crosspoint tools --connector ${id} --agent AGENT".`;
    case 'upstream_timeout':
      return 'The upstream is slow or hangs: look into its log, or give it more time with "timeouts".';
    case 'upstream_closed':
    case 'upstream_unavailable':
      return 'The upstream breaks off or is away: look into its log.';
    case 'upstream_protocol':
    case 'output_invalid':
      return 'The upstream answers what the protocol or its own schema does not allow: tell whoever wrote it.';
    case 'upstream_too_large':
    case 'result_too_large':
      return 'Results are larger than allowed: ask for less, or raise "limits" of the connector.';
    case 'rate_limited':
    case 'overloaded':
      return 'More is asked at once than may be: look at "limits" of the hub and of the connector.';
    default:
      return `Look at them with "crosspoint events --connector ${id}".`;
  }
}
