/**
 * A progress line hides the cursor: it is seen again on every way out.
 */
import { writeSync } from 'node:fs';

const SHOW_CURSOR = '\x1b[?25h';

/** From now on, until the function that is given back is called, the program does not end without showing the cursor. */
export function showCursorAtExit(): () => void {
  process.on('exit', show);
  return () => process.off('exit', show);
}

function show(): void {
  try {
    writeSync(process.stderr.fd, SHOW_CURSOR);
  } catch {
    // The terminal is closed.
  }
}
