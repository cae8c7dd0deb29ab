import { expect, test } from 'vitest';
import type { HubReport } from '../bench/hub/measure-hub.js';
import { hubMarkdown } from '../bench/hub/report-hub.js';
import { runProgram } from '../scripts/run-program.js';
import { tableOf } from './documents.js';

/** Times are not judged here: they say more about the machine than about the code. */
test('the hub is measured beside the stub and a bare proxy', async () => {
  const args = [
    '--import',
    'tsx',
    'bench/run.ts',
    'hub',
    '--quick',
    '--seconds',
    '1',
    '--rounds',
    '1',
    '--json',
  ];
  const { exitCode, output } = await runProgram(process.execPath, args, {
    timeoutMs: 240_000,
    // Its programs have process groups of their own.
    killSignal: 'SIGTERM',
  });
  expect(exitCode, output).toBe(0);
  const report = JSON.parse(output) as HubReport;
  expect(
    report.figures.map(({ name, work, connections, errors }) => [name, work, connections, errors]),
  ).toEqual([
    ['stub directly', 'echo', 32, 0],
    ['bare Node proxy', 'echo', 32, 0],
    ['Crosspoint', 'echo', 32, 0],
  ]);
  const measured = report.figures.flatMap((each) => [
    each.callsPerSecond,
    each.p50Micros,
    each.p99Micros,
    each.cpuMicrosPerCall,
    each.rssMegabytes,
  ]);
  expect(measured.filter((figure) => !(Number.isFinite(figure) && figure > 0))).toEqual([]);

  const rows = tableOf(hubMarkdown(report), 'work');
  expect(rows.map((cells) => cells.slice(0, 2))).toEqual([
    ['echo, 32 conn.', 'stub directly'],
    ['echo, 32 conn.', 'bare Node proxy'],
    ['echo, 32 conn.', 'Crosspoint'],
  ]);
  expect(rows.map((cells) => cells.length)).toEqual([10, 10, 10]);
  expect(rows.map((cells) => /^\d+\.\d\dx$/.test(cells[4] ?? ''))).toEqual([true, true, false]);
});

test('a section that does not exist is refused', async () => {
  const { exitCode, output } = await runProgram(process.execPath, [
    '--import',
    'tsx',
    'bench/run.ts',
    'everything',
  ]);
  expect(exitCode).toBe(1);
  expect(output).toContain('there is no section everything');
});
