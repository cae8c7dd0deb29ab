// Peers that write what they should not. Each is named on the command line.
const notification = (method) => `{"jsonrpc":"2.0","method":"${method}"}`;
const out = (text, done) => process.stdout.write(text, done);
const flood = (stream, chunk) => {
  const more = () => {
    while (stream.write(chunk)) {
      // until the pipe is full
    }
  };
  stream.on('drain', more);
  more();
};

const kinds = {
  'garbage-first': () => out(`Server starting...\n\u001b[32mready\u001b[0m\n${notification('hello')}\n`),
  'garbage-between': () =>
    out(`${notification('a')}\nnoise\n{"jsonrpc":"1.0"}\n\n[]\n${notification('b')}\n`),
  'bad-lines': () => out('noise\n'.repeat(Number(process.argv[3]))),
  crlf: () => out(`${notification('a')}\r\n\r\n  \n${notification('b')}\r\n`),
  'byte-order-mark': () => out(`\uFEFF${notification('a')}\n`),
  batch: () => out(`[${notification('a')},${notification('b')}]\n`),
  'split-utf8': () => {
    const bytes = Buffer.from(`${notification('grüße 😀')}\n`);
    let at = 0;
    const timer = setInterval(() => {
      out(bytes.subarray(at, ++at));
      if (at === bytes.length) clearInterval(timer);
    }, 1);
  },
  'partial-line': () => out('{"jsonrpc":"2.0","met', () => process.exit(3)),
  'slow-start': () => setTimeout(() => out(`${notification('hello')}\n`), 600),
  'huge-line': () => out(`"${'x'.repeat(Number(process.argv[3]))}"\n`),
  'newline-less-flood': () => flood(process.stdout, 'x'.repeat(65536)),
  'stderr-flood': () => {
    flood(process.stderr, 'grumble \u001b[31mgrumble\u0007\n'.repeat(2000));
    out(`${notification('hello')}\n`);
  },
  'stderr-lines': () => {
    process.stderr.write(`one\ntwo \u001b[1mbold\u0007\u202e\n${'y'.repeat(10_000)}\nlast`);
    process.stderr.write('', () => process.exit(1));
  },
};

const kind = process.argv[2];
kinds[kind]();
if (kind !== 'partial-line' && kind !== 'stderr-lines') process.stdin.resume();
