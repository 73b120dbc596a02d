/**
 * Waits for the end of a server: Ctrl-C, a signal, or the end of its terminal.
 */
import { isatty } from 'node:tty';
import { handleInterrupts } from '../process/interrupts.js';

const TERMINAL_POLL_MS = 1000;
const STANDARD_INPUT = 0;

/** A terminal is polled: reading from it would stop a process in the background. */
export function untilEnd(): Promise<void> {
  const hasTerminal = isatty(STANDARD_INPUT);
  return new Promise((done) => {
    const poll = setInterval(() => {
      if (hasTerminal && !isatty(STANDARD_INPUT)) end();
    }, TERMINAL_POLL_MS);
    const stop = handleInterrupts(() => end());
    const end = () => {
      clearInterval(poll);
      stop();
      done();
    };
  });
}
