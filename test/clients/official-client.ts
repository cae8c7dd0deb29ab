import { Client as V2Client, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

export interface OfficialCallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
}

/** What the official clients can do at the hub, under one face. */
export interface OfficialClient {
  /** Changes of the list of tools that it heard of. */
  readonly changes: string[];
  readonly logs: unknown[];
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: OfficialCallOptions,
  ): Promise<Record<string, unknown>>;
  tools(): Promise<readonly { readonly name: string }[]>;
  prompts(): Promise<readonly { readonly name: string }[]>;
  resources(): Promise<readonly { readonly uri: string }[]>;
  templates(): Promise<readonly { readonly uriTemplate: string }[]>;
  read(uri: string): Promise<readonly unknown[]>;
  prompt(name: string, args: Record<string, string>): Promise<readonly unknown[]>;
  complete(prompt: string, value: string): Promise<readonly string[]>;
  /** From now on it wants to hear of changes. */
  listen(): Promise<unknown>;
  /** From now on it wants log messages. */
  setLevel(): Promise<unknown>;
  close(): Promise<void>;
}

const INFO = { name: 'official-client', version: '1' };

export interface HubAddress {
  readonly url: string;
  readonly key: string;
}

const options = ({ key }: HubAddress) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

export async function connectV1(address: HubAddress): Promise<OfficialClient> {
  const client = new V1Client(INFO, { capabilities: {} });
  const changes: string[] = [];
  const logs: unknown[] = [];
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void logs.push(params.data),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void changes.push(method));
  await client.connect(new V1Http(new URL(address.url), options(address)));
  return {
    changes,
    logs,
    call: (name, args, more) => client.callTool({ name, ...(args && { arguments: args }) }, undefined, more),
    tools: async () => (await client.listTools()).tools,
    prompts: async () => (await client.listPrompts()).prompts,
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (name, value) =>
      (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: 'name', value } }))
        .completion.values,
    listen: () => Promise.resolve(),
    setLevel: () => client.setLoggingLevel('debug'),
    close: () => client.close(),
  };
}

export async function connectV2(address: HubAddress, era: 'legacy' | 'modern'): Promise<OfficialClient> {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' };
  const client = new V2Client(INFO, { capabilities: {}, versionNegotiation: { mode } });
  const changes: string[] = [];
  const logs: unknown[] = [];
  const meta: Record<string, string> = {};
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
  client.setNotificationHandler(
    'notifications/tools/list_changed',
    ({ method }) => void changes.push(method),
  );
  await client.connect(new V2Http(new URL(address.url), options(address)));
  return {
    changes,
    logs,
    call: (name, args, more) =>
      client.callTool({ name, ...(args && { arguments: args }), _meta: meta }, more),
    tools: async () => (await client.listTools()).tools,
    prompts: async () => (await client.listPrompts()).prompts,
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (name, value) =>
      (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: 'name', value } }))
        .completion.values,
    listen: () => (era === 'legacy' ? Promise.resolve() : client.listen({ toolsListChanged: true })),
    setLevel: async () => {
      if (era === 'legacy') await client.setLoggingLevel('debug');
      else meta['io.modelcontextprotocol/logLevel'] = 'debug';
    },
    close: () => client.close(),
  };
}
