import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import type { InputRequest } from '../../src/mcp/model/index.js';

export function formQuestion(label: string, properties: JsonObject): InputRequest {
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: `form for ${label}`,
      requestedSchema: { type: 'object', properties },
    },
  };
}

/** What a server may ask besides forms. */
export const OTHER_QUESTIONS: Readonly<
  Record<'url' | 'sampling' | 'roots', (label: string) => InputRequest>
> = {
  url: (label) => ({
    method: 'elicitation/create',
    params: { mode: 'url', message: `page for ${label}`, url: `https://upstream.example/${label}` },
  }),
  sampling: (label) => ({
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: label } }], maxTokens: 10 },
  }),
  roots: () => ({ method: 'roots/list', params: {} }),
};
