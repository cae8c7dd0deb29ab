import { once } from 'node:events';
import { connect } from 'crosspoint/client';

const [url = 'http://127.0.0.1:8080/mcp'] = process.argv.slice(2);
await using client = await connect({ url, info: { name: 'my-program', version: '1.0.0' } });

const changes = new EventTarget();
const subscription = await client.subscribe(
  { resourceSubscriptions: ['sample://notes'], toolsListChanged: true },
  (change) => changes.dispatchEvent(new Event(change.method)),
);
// This server's tools never change, so it does not promise to tell.
console.log('heard of:', subscription.honoured);

const updated = once(changes, 'notifications/resources/updated');
await client.callTool('add_note', { text: 'milk' });
await updated;

const { contents } = await client.readResource('sample://notes');
console.log(contents[0]?.['text']);
subscription.close();
