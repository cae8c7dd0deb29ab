import { LEGACY_REVISION, MODERN_REVISION, TEXT, TOOL, type Era } from '../workers/call.js';

export const LARGE_TOOL = 'large';
export const PROGRESS_TOOL = 'progress';
export const PROGRESS_STEPS = 20;
/** As wide as any number it may become, so that a request keeps its length; in no other part of it. */
export const FIRST_ID = 1_000_000;

/** What is asked for again and again. */
export type Work = 'echo' | 'list' | 'large' | 'progress';

export interface WorkRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests take turns in these; none where the era has none. */
  readonly sessions: readonly string[];
  /** Something every right answer has in it. */
  readonly proof: string;
}

/** How somebody is spoken to. */
export interface Speech {
  readonly era: Era;
  /** What the tool is called there. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}

const CLIENT = { name: 'load', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};

const TOOLS: Readonly<Record<Work, string>> = {
  echo: TOOL,
  list: '',
  large: LARGE_TOOL,
  progress: PROGRESS_TOOL,
};
const WATCHED = { _meta: { progressToken: 'p' } };

export const PLAIN_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export function initializeBody(): string {
  const params = { protocolVersion: LEGACY_REVISION, capabilities: {}, clientInfo: CLIENT };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
}

export const INITIALIZED_BODY = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

export function toRequest(
  work: Work,
  { era, prefix, headers }: Speech,
  sessions: readonly string[],
): WorkRequest {
  const method = work === 'list' ? 'tools/list' : 'tools/call';
  const name = `${prefix}${TOOLS[work]}`;
  const params =
    work === 'list' ? {} : { name, arguments: { text: TEXT }, ...(work === 'progress' && WATCHED) };
  const modern = era === 'modern';
  return {
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: FIRST_ID,
      method,
      params: modern ? { ...params, _meta: META } : params,
    }),
    headers: {
      ...PLAIN_HEADERS,
      ...headers,
      'mcp-protocol-version': modern ? MODERN_REVISION : LEGACY_REVISION,
      ...(modern && { 'mcp-method': method, ...(work !== 'list' && { 'mcp-name': name }) }),
    },
    sessions,
    proof: proofOf(work, prefix),
  };
}

function proofOf(work: Work, prefix: string): string {
  switch (work) {
    case 'list':
      return `"${prefix}${TOOL}"`;
    case 'large':
      return 'x'.repeat(1000);
    case 'progress':
      return `"progress":${PROGRESS_STEPS}`;
    case 'echo':
      return TEXT;
  }
}
