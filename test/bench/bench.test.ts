import { expect, test } from 'vitest';
import { toMarkdown, type BenchReport } from '../../bench/report.js';
import { runProgram } from '../../scripts/run-program.js';
import { tableOf } from '../documents.js';

const RUN = ['--import', 'tsx', 'bench/run.ts', 'library'];

/** Times are not judged here: they say more about the machine than about the code. */
test('measures everybody, and prints tables', async () => {
  const args = ['--seconds', '0.02', '--rounds', '1', '--json'];
  const { exitCode, output } = await runProgram(process.execPath, [...RUN, ...args], { timeoutMs: 55_000 });
  expect(exitCode, output).toBe(0);
  const report = JSON.parse(output) as BenchReport;
  expect(report.machine).toContain(`Node ${process.versions.node}`);
  expect(report).toMatchObject({ rounds: 1, secondsPerRound: 0.02 });
  const figures = [
    ...report.decoding.map((each) => each.megabytesPerSecond),
    ...[...report.servers, ...report.clients].flatMap((each) => [each.callsPerSecond, each.cpuMicrosPerCall]),
  ];
  expect(figures.filter((figure) => !(Number.isFinite(figure) && figure > 0))).toEqual([]);

  const text = toMarkdown(report);
  const cellsOf = (header: string, count: number) =>
    tableOf(text, header).map((cells) => cells.slice(0, count));
  expect(cellsOf('events of', 1)).toEqual([['100 B'], ['2 kB'], ['1 MiB']]);
  expect(cellsOf('server', 2)).toEqual([
    ['Crosspoint', 'legacy'],
    ['SDK v1', 'legacy'],
    ['SDK v2, stateful transport', 'legacy'],
    ['Crosspoint', 'modern'],
    ['SDK v2, createMcpHandler', 'modern'],
  ]);
  expect(cellsOf('client', 2)).toEqual([
    ['Crosspoint', 'legacy'],
    ['SDK v1', 'legacy'],
    ['SDK v2', 'legacy'],
    ['Crosspoint', 'modern'],
    ['SDK v2', 'modern'],
  ]);
});

test.each([
  ['--seconds', '0'],
  ['--seconds', 'many'],
  ['--rounds', '-1'],
  ['--rounds', ''],
])('refuses %s %j before it begins', async (option, value) => {
  const { exitCode, output } = await runProgram(process.execPath, [...RUN, `${option}=${value}`]);
  expect(exitCode).toBe(1);
  expect(output).toContain(`${option} must be a number from`);
});
