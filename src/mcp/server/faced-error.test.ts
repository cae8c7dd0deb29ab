import { expect, test } from 'vitest';
import { Harness } from '../../../test/support/server/harness.js';
import { ProtocolError } from '../jsonrpc/index.js';
import { FacedError } from './index.js';

const REFUSED = new FacedError({
  modern: { result: { content: [{ type: 'text', text: 'refused' }], isError: true } },
  legacy: { error: new ProtocolError(-32_000, 'refused') },
});

test('S35 D15: each era sees a refusal in its own face', async () => {
  const harness = new Harness({
    handlers: {
      'tools/call': () => {
        throw REFUSED;
      },
    },
  });
  const modern = await harness.modern('tools/call', { name: 'echo' });
  expect(modern.body.result).toMatchObject({
    resultType: 'complete',
    isError: true,
    content: [{ text: 'refused' }],
  });
  const session = await harness.session();
  const legacy = await session.request('tools/call', { name: 'echo' });
  expect(legacy).toMatchObject({ status: 200, body: { error: { code: -32_000, message: 'refused' } } });
});
