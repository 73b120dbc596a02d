/**
 * A program that ends when we end, even by SIGKILL: beside it waits a shell for our end of a pipe to close. See
 * docs/decisions/0013-perf-ends-with-us.md.
 */
import { accessSync, constants } from 'node:fs';
import type { Writable } from 'node:stream';

const SHELL = '/bin/sh';

/**
 * $1: the descriptor of the pipe; then the program and its arguments. `exec` gives the program the shell's process id ($$), which as
 * that of a session's leader is the id of its group too. The watcher is in that group, so the id belongs to nobody else as long
 * as it waits. It is started from a subshell that ends at once: a child that the program did not start would confuse it.
 */
const SCRIPT = `
fd=$1
shift
( {
  trap '' HUP INT QUIT TERM
  read -r word || { kill -s TERM -- -$$; sleep 3; kill -s KILL -- -$$; }
} <&$fd >/dev/null 2>&1 3<&- 4<&- 5<&- & )
eval "exec $fd<&-"
exec "$@"`;

/** What the shell passes on; the other variables it would lose. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z_0-9]*$/;

/** False without a shell: then the program starts as it is, and whoever kills us has to end it too. */
export function canDieWithParent(): boolean {
  try {
    accessSync(SHELL, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The command that starts a program with a watcher beside it. Start it as the leader of a session (`detached`), with the reading end
 * of a pipe at the descriptor `fd`.
 */
export function dieWithParent(command: readonly string[], fd: 3 | 5): string[] {
  const odd = Object.entries(process.env).filter(([name]) => !SHELL_NAME.test(name));
  const whole = odd.length === 0 ? command : ['env', ...odd.map(([name, value]) => `${name}=${value}`), ...command];
  return [SHELL, '-c', SCRIPT, 'ptflame', String(fd), ...whole];
}

/** The program has ended by itself: the watcher ends without a kill. */
export function dismissWatcher(pipe: Writable): void {
  pipe.end('ended\n');
}
