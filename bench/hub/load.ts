import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../scripts/run-program.js';
import { FIRST_ID, type WorkRequest } from './work.js';

export interface LoadOrder {
  readonly url: string;
  readonly request: WorkRequest;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadFigures {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly errors: number;
}

/** Keeps a server busy from a process of its own. */
export interface Load {
  readonly name: string;
  run(order: LoadOrder): Promise<LoadFigures>;
  remove(): void;
}

export function hasProgram(name: string, versionFlag: string): boolean {
  return spawnSync(name, [versionFlag]).error === undefined;
}

/** `wrk` where it is installed, else the loop of the bench itself, which is slower and so a limit for the fastest. */
export function createLoad(core: number | undefined, loopFile: string): Load {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-load-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const pin = core === undefined ? [] : ['taskset', '-c', String(core)];
  const run = async (command: readonly string[], seconds: number): Promise<LoadFigures> => {
    const [file = '', ...args] = [...pin, ...command];
    const { exitCode, output } = await runProgram(file, args, { timeoutMs: seconds * 1000 + 30_000 });
    const figures = /^figures (\{.*\})$/m.exec(output)?.[1];
    if (exitCode !== 0 || figures === undefined) throw new Error(`The load failed: ${output.slice(-1000)}`);
    return JSON.parse(figures) as LoadFigures;
  };
  const script = join(folder, 'request');
  if (hasProgram('wrk', '-v')) {
    return {
      name: 'wrk',
      remove,
      run({ url, request, connections, seconds }) {
        writeFileSync(script, toLua(request));
        const whole = String(Math.max(1, Math.round(seconds)));
        return run(
          ['wrk', '-t1', `-c${connections}`, `-d${whole}s`, '--timeout', '10s', '-s', script, url],
          seconds,
        );
      },
    };
  }
  return {
    name: 'own loop (wrk is not installed)',
    remove,
    run(order) {
      writeFileSync(script, JSON.stringify(order));
      return run([process.execPath, loopFile, script], order.seconds);
    },
  };
}

/** Every request has an id of its own, as the protocol wants it. */
function toLua({ body, headers, sessions }: WorkRequest): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  return `wrk.method = "POST"
wrk.body = [==[${body}]==]
${lines.join('\n')}
local sessions = {${sessions.map((session) => JSON.stringify(session)).join(', ')}}
local fronts, backs, turn = {}, {}, 0
local id = ${FIRST_ID}
function init()
  for i = 1, math.max(1, #sessions) do
    wrk.headers["mcp-session-id"] = sessions[i]
    local whole = wrk.format()
    local from, to = whole:find("${FIRST_ID}", 1, true)
    fronts[i], backs[i] = whole:sub(1, from - 1), whole:sub(to + 1)
  end
end
function request()
  id = id + 1
  turn = turn % #fronts + 1
  return fronts[turn] .. id .. backs[turn]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\nfigures {"requests":%d,"seconds":%.6f,"p50Micros":%d,"p99Micros":%d,"errors":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
`;
}
