/**
 * Starts the command whose calls are captured, and waits until it has mapped the function.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { PtflameError } from '../../../src/model/errors.js';
import type { Target } from '../target.js';
import { findPlace } from './place.js';

export interface StartedTarget {
  readonly pids: readonly number[];
  /** Ends what was started. */
  end(): Promise<void>;
}

/** Programs load their libraries within milliseconds of their start. */
const LOADING_MS = 2000;
const POLL_MS = 2;
const TERM_MS = 3000;

/** Waits until it has mapped all `places`. @throws PtflameError for targets other than processes and commands */
export async function startTarget(target: Target, places: readonly string[]): Promise<StartedTarget> {
  switch (target.kind) {
    case 'processes':
      return { pids: target.pids, end: async () => {} };
    case 'command':
      return startCommand(target.command, places);
    case 'threads':
    case 'cpus':
    case 'all-cpus':
      throw new PtflameError('BAD_OPTION', '--trigger FUNCTION needs a process or a command', { hint: 'add -p PID' });
  }
}

async function startCommand(
  [file = '', ...args]: readonly string[],
  places: readonly string[],
): Promise<StartedTarget> {
  const { execa } = await import('execa');
  const child = execa(file, args, { stdio: 'inherit', reject: false, cleanup: true });
  let isOver = false;
  const exited = child.then((result) => {
    isOver = true;
    return result;
  });
  const end = async () => {
    if (!isOver) child.kill('SIGTERM');
    await Promise.race([exited, wait(TERM_MS)]);
    if (!isOver) child.kill('SIGKILL');
    await exited;
  };
  const { pid } = child;
  const untilMs = performance.now() + LOADING_MS;
  try {
    for (;;) {
      if (pid === undefined || isOver) throw notRunning(file);
      try {
        for (const place of places) await findPlace(pid, place);
        return { pids: [pid], end };
      } catch (error) {
        if (performance.now() > untilMs) throw error;
      }
      await wait(POLL_MS);
    }
  } catch (error) {
    await end();
    throw error;
  }
}

function notRunning(file: string): PtflameError {
  return new PtflameError('NO_SUCH_TARGET', `${file} ended before it could be watched`, {
    hint: 'check that it runs; a program that runs for milliseconds is recorded without --trigger',
  });
}
