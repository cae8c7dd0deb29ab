/** The same upstream over stdio, for those who can only sit in front of a process. */
import { createInterface } from 'node:readline';
import { answerOf, toolsOf } from './stub-answers.js';

const tools = toolsOf(3);

createInterface({ input: process.stdin }).on('line', (line) => {
  const answer = answerOf(line, tools);
  if (answer !== undefined) process.stdout.write(`${answer.text}\n`);
});
