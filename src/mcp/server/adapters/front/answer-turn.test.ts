import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AnswerTurn, type PendingAnswer } from './answer-turn.js';

function record() {
  const left: string[] = [];
  const answer = (name: string): PendingAnswer => ({ flush: () => void left.push(name) });
  return { left, answer };
}

test('the first answer of a turn leaves at once, the others at its end and in order', async () => {
  const { left, answer } = record();
  const answers = new AnswerTurn();
  for (const name of ['a', 'b', 'c']) answers.leave(answer(name));
  expect(left).toEqual(['a']);
  await turn();
  expect(left).toEqual(['a', 'b', 'c']);
  answers.leave(answer('d'));
  expect(left).toEqual(['a', 'b', 'c', 'd']);
});

test('what may wait leaves at the end of the turn, and nothing is left behind', async () => {
  const { left, answer } = record();
  const answers = new AnswerTurn();
  const last: PendingAnswer = {
    flush() {
      left.push('last');
      answers.leave(answer('because of it'));
    },
  };
  answers.leaveLast(last);
  answers.leave(answer('a'));
  expect(left).toEqual([]);
  await turn();
  expect(left).toEqual(['last', 'because of it', 'a']);
  await turn();
  answers.leave(answer('b'));
  expect(left.at(-1)).toBe('b');
});
