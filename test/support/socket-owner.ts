import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Which of these processes has the other end of a loopback connection: the one whose own port is this. Linux only. */
export function socketOwner(pids: readonly number[], port: number): number | undefined {
  const inodes = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
      readFileSync(table, 'utf8')
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16) === port)
        .map((fields) => `socket:[${fields[9]}]`),
    ),
  );
  return pids.find((pid) => filesOf(pid).some((file) => inodes.has(file)));
}

function filesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}
