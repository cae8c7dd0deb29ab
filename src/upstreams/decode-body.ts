import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { HubError } from '../kernel/index.js';

type Decode = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<Buffer, ZlibOptions, Buffer>(inflate),
  br: promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress),
};

/** We ask for plain answers; servers that compress all the same do it once, and never to more than the bound. */
export async function decodeBody(raw: Buffer, encoding: string | null, maxBytes: number): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity' || raw.length === 0) return raw;
  const decode = DECODERS[name];
  if (decode === undefined)
    throw new HubError('upstream_protocol', 'the answer is encoded in a way that is not understood');
  try {
    return await decode(raw, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError)
      throw new HubError('upstream_too_large', `the answer is larger than ${maxBytes} bytes`);
    throw new HubError('upstream_protocol', 'the answer is not encoded as it says');
  }
}
