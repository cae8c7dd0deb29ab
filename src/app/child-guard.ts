import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Reads which process groups there are, until whoever writes is gone. Those that are left then have a second to notice it
 * themselves and one more to clean up. The shell leaves it to init, so that it is no child of the hub.
 */
const PROGRAM = `(
groups=
while read -r sign group; do
  if [ "$sign" = + ]; then groups="$groups $group"; continue; fi
  left=
  for each in $groups; do [ "$each" = "$group" ] || left="$left $each"; done
  groups=$left
done
[ -n "$groups" ] || exit
for signal in TERM KILL; do
  sleep 1
  for group in $groups; do kill -s $signal -- "-$group"; done
done
) <&3 3<&- &`;

const NOTHING_ELSE = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/**
 * Ends the processes of this hub when it is killed, where no code of its own runs any more: a shell that waits for the end
 * of a pipe, in a session of its own. Where there is none, what is left is ended by the next start.
 */
export class ChildGuard {
  readonly #shell: string;
  readonly #groups = new Set<number>();
  #pipe: Socket | undefined;
  #isClosed = false;

  constructor(shell = '/bin/sh') {
    this.#shell = shell;
  }

  add(group: number): void {
    if (this.#isClosed) return;
    this.#groups.add(group);
    if (this.#pipe === undefined) this.#start();
    else this.#pipe.write(`+ ${group}\n`);
  }

  remove(group: number): void {
    if (this.#groups.delete(group)) this.#pipe?.write(`- ${group}\n`);
  }

  /** It ends by itself, with whatever is left. */
  close(): void {
    this.#isClosed = true;
    this.#pipe?.end();
    this.#pipe = undefined;
  }

  /** One that is gone, or could not be started, is replaced with the next process. */
  #start(): void {
    try {
      // The last two are for people who look at processes.
      const args = ['-c', PROGRAM, 'crosspoint-guard', String(process.pid)];
      const shell = spawn(this.#shell, args, {
        cwd: '/',
        env: NOTHING_ELSE,
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
        detached: true,
      });
      const pipe = shell.stdio[3] as Socket;
      const gone = (): void => {
        if (this.#pipe === pipe) this.#pipe = undefined;
      };
      shell.once('error', gone).unref();
      pipe.on('error', gone).on('close', gone).resume().unref();
      this.#pipe = pipe;
      for (const group of this.#groups) pipe.write(`+ ${group}\n`);
    } catch {
      // No descriptors or processes are left, which a process that is being started will notice too.
    }
  }
}
