import { expect, test } from 'vitest';
import { runProgram } from '../../scripts/run-program.js';

const SERVER = [process.execPath, '--import', 'tsx', 'examples/sample-server.mjs'];

/** Runs an example against the sample server, which it starts itself, and returns the lines it printed. */
async function run(name: string): Promise<readonly string[]> {
  const args = ['--import', 'tsx', `examples/${name}.ts`, ...SERVER];
  const { exitCode, output } = await runProgram(process.execPath, args, { timeoutMs: 50_000 });
  expect(exitCode, output).toBe(0);
  return output.trimEnd().split('\n');
}

test('tool-loop-openai', async () => {
  const atlantis = '"Atlantis" is no time zone; try one like Europe/Vienna';
  expect(await run('tool-loop-openai')).toEqual([
    'user: Say hello, and tell me the time in Atlantis.',
    'assistant: (calls tools)',
    'tool: hello',
    `tool: ${atlantis}`,
    `assistant: I said hello. The clock says: ${atlantis}.`,
  ]);
});

test('tool-loop-anthropic', async () => {
  expect(await run('tool-loop-anthropic')).toEqual([
    'I use mcp_first__add_note.',
    'I use mcp_second__now.',
    'It failed: "Atlantis" is no time zone; try one like Europe/Vienna',
  ]);
});
