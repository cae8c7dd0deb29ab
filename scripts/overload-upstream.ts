import { startUpstream } from '../test/support/scripted-upstream.js';

/** An upstream in a process of its own. Its answers cost a hub more to read than to ask for. Writes its address. */

const content = Array.from({ length: 150 }, (_, n) => ({ type: 'text', text: `line ${n} of the answer` }));
const upstream = await startUpstream({
  tools: [{ name: 'read', inputSchema: { type: 'object' } }],
  call: () => ({ content }),
});
console.log(upstream.url);
