import { expect, test } from 'vitest';
import { idOf, SSE } from '../../../test/support/http/answers.js';
import { host, open, request, resultText } from '../../../test/support/http/open.js';
import type { Message } from '../jsonrpc/index.js';
import { StdioTransport } from './stdio.js';
import { endOfLogEvent } from './unwanted-log.js';

const LOG = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';
const SDK_LOG = '{"method":"notifications/message","params":{"level":"info","data":"x"},"jsonrpc":"2.0"}';

test.each([
  [`data: ${LOG}\n\n`, true],
  [`event: message\ndata: ${LOG}\n\n`, true],
  [`event: message\ndata: ${SDK_LOG}\n\n`, true],
  [`data: ${LOG}\n`, false],
  [`data: ${LOG}`, false],
  [`data: ${LOG}\nid: 7\n\n`, false],
  [`data: ${LOG}\r\n\r\n`, false],
  [`data: ${LOG.replace('message"', 'progress"')}\n\n`, false],
  [`data: ${LOG.replace('"x"', `"${'x'.repeat(1_000)}"`)}\n\n`, false],
  ['data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n', false],
])('%j is such an event: %s', (text, isOne) => {
  expect(endOfLogEvent(text, 0, 1_000)).toBe(isOne ? text.length : -1);
  expect(endOfLogEvent(`\n${text}`, 1, 1_000)).toBe(isOne ? text.length + 1 : -1);
});

test.each([
  [true, 1],
  [false, 1],
  [true, 200_000],
  [false, 200_000],
])('log messages reach only who wants them: %s, of %i characters', async (isWanted, length) => {
  const log = LOG.replace('"x"', `"${'x'.repeat(length)}"`);
  const server = await host((seen, response) => {
    response.writeHead(200, SSE);
    response.end(`${`data: ${log}\n\n`.repeat(40)}data: ${resultText(idOf(seen))}\n\n`);
  });
  const { transport, receiver } = await open(server.url);
  receiver.ignoresLog = () => !isWanted;
  await transport.send(request(1));
  expect(receiver.received).toHaveLength(isWanted ? 41 : 1);
  expect(receiver.received.at(-1)?.message.kind).toBe('result');
});

test.each([true, false])('so do those of a program: %s', async (isWanted) => {
  const program = `
    for (const length of [1, 10, 200_000]) console.log(${JSON.stringify(LOG)}.replace('"x"', '"' + 'x'.repeat(length) + '"'));
    console.log('{"jsonrpc":"2.0","id":1,"result":{}}');
    process.stdin.resume();`;
  const transport = new StdioTransport({ command: process.execPath, args: ['-e', program] });
  const received: Message[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const message = (arrived: Message): void => {
        received.push(arrived);
        if (arrived.kind === 'result') resolve();
      };
      transport.start({ message, closed: reject, warn: reject, ignoresLog: () => !isWanted }).catch(reject);
    });
    expect(received).toHaveLength(isWanted ? 4 : 1);
  } finally {
    await transport.close();
  }
});
