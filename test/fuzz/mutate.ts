import type { Random } from './random.js';

/** Large enough for quadratic work to show, small enough for many runs. */
const MAX_INPUT_BYTES = 64 * 1024;

export interface Material {
  /** Inputs to start from. */
  readonly pool: readonly Uint8Array[];
  /** Texts that mean something to the target. */
  readonly dictionary: readonly string[];
}

type Mutation = (input: Buffer, random: Random, material: Material) => Buffer;

const SUSPECTS = [
  0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x30, 0x3a, 0x5b, 0x5c, 0x7b, 0x7d, 0x7f, 0x80, 0xc0, 0xef, 0xff,
];

const MUTATIONS: readonly Mutation[] = [
  function flipBit(input, random) {
    const changed = Buffer.from(input);
    const at = random.below(Math.max(1, changed.length));
    if (at < changed.length) changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
    return changed;
  },
  function setByte(input, random) {
    const changed = Buffer.from(input);
    const at = random.below(Math.max(1, changed.length));
    if (at < changed.length) changed[at] = random.below(2) === 0 ? random.below(256) : random.pick(SUSPECTS);
    return changed;
  },
  function insertByte(input, random) {
    return insert(input, random.below(input.length + 1), Buffer.of(random.pick(SUSPECTS)));
  },
  function insertWord(input, random, { dictionary }) {
    return dictionary.length === 0
      ? input
      : insert(input, random.below(input.length + 1), Buffer.from(random.pick(dictionary)));
  },
  function replaceByWord(input, random, { dictionary }) {
    if (dictionary.length === 0) return input;
    const [start, end] = rangeOf(input, random);
    return Buffer.concat([
      input.subarray(0, start),
      Buffer.from(random.pick(dictionary)),
      input.subarray(end),
    ]);
  },
  function remove(input, random) {
    const [start, end] = rangeOf(input, random);
    return Buffer.concat([input.subarray(0, start), input.subarray(end)]);
  },
  function truncate(input, random) {
    return input.subarray(0, random.below(input.length + 1));
  },
  function repeat(input, random) {
    const [start, end] = rangeOf(input, random);
    const piece = input.subarray(start, end);
    const most = Math.floor(MAX_INPUT_BYTES / Math.max(1, piece.length));
    const times = random.below(20) === 0 ? random.below(most + 1) : random.below(4);
    return insert(input, end, Buffer.concat(Array<Uint8Array>(times).fill(piece)));
  },
  function copyElsewhere(input, random) {
    const [start, end] = rangeOf(input, random);
    return insert(input, random.below(input.length + 1), input.subarray(start, end));
  },
  function splice(input, random, { pool }) {
    const other = Buffer.from(random.pick(pool));
    const [start, end] = rangeOf(other, random);
    return insert(input, random.below(input.length + 1), other.subarray(start, end));
  },
  function cross(input, random, { pool }) {
    const other = Buffer.from(random.pick(pool));
    return Buffer.concat([
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ]);
  },
];

function insert(input: Buffer, at: number, piece: Uint8Array): Buffer {
  return Buffer.concat([input.subarray(0, at), piece, input.subarray(at)]);
}

/** Mostly short, sometimes anything. */
function rangeOf(input: Buffer, random: Random): readonly [start: number, end: number] {
  const start = random.below(input.length + 1);
  const rest = input.length - start;
  return [start, start + random.below(Math.min(rest, random.below(4) === 0 ? rest : 16) + 1)];
}

/** A new input, made of the pool by a few changes. */
export function mutate(material: Material, random: Random): Uint8Array {
  let input: Buffer = Buffer.from(random.pick(material.pool));
  for (let left = 1 + random.below(5); left > 0; left--)
    input = random.pick(MUTATIONS)(input, random, material);
  return input.subarray(0, MAX_INPUT_BYTES);
}
