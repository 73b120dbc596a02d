/**
 * Starts a program that dies when ptflame dies, even by SIGKILL: a shell in its process group waits for ptflame's end of a
 * pipe to close. See docs/decisions/0013-perf-ends-with-us.md.
 */
import { accessSync, constants } from 'node:fs';
import type { Writable } from 'node:stream';

const SHELL = '/bin/sh';

/**
 * $1 is the descriptor of the pipe; the program and its arguments follow. `exec` gives the program the shell's process id
 * ($$), which is also its group's id because the shell leads a session. The watcher is in that group, so the id cannot be
 * reused while it waits. A subshell starts the watcher and ends at once: a child that the program did not start would confuse it.
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

/** Variables that a shell passes on to its children; it may drop others. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z_0-9]*$/;

/** Returns whether there is a shell. Without one, the program outlives a killed ptflame. */
export function canDieWithParent(): boolean {
  try {
    accessSync(SHELL, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the command that starts a program and its watcher. Start it as a session leader (`detached`), with the reading end
 * of a pipe as descriptor `fd`.
 */
export function dieWithParent(command: readonly string[], fd: 3 | 5): string[] {
  const unusual = Object.entries(process.env).filter(([name]) => !SHELL_NAME.test(name));
  const complete =
    unusual.length === 0 ? command : ['env', ...unusual.map(([name, value]) => `${name}=${value}`), ...command];
  return [SHELL, '-c', SCRIPT, 'ptflame', String(fd), ...complete];
}

/** Ends the watcher without killing; call it when the program has ended. */
export function dismissWatcher(pipe: Writable): void {
  pipe.end('ended\n');
}
