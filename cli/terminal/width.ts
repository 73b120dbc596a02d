/**
 * Decides how wide tables and help texts may be.
 */
const FILE_WIDTH = 160;
const MIN_WIDTH = 40;

/** Returns `COLUMNS`, or the width of the terminal, or 160 for a file or a pipe. */
export function tableWidth(): number {
  return requestedWidth() ?? Math.max(MIN_WIDTH, process.stdout.columns ?? FILE_WIDTH);
}

/** Returns the width of tables in files: `COLUMNS`, or 160. */
export function fileWidth(): number {
  return requestedWidth() ?? FILE_WIDTH;
}

const HELP_FILE_WIDTH = 80;
/** Longer lines are hard to read. */
const MAX_HELP_WIDTH = 100;

/** Returns the width of help texts: as for tables, but at most 100 columns, and 80 in a file or a pipe. */
export function helpWidth(): number {
  return Math.min(requestedWidth() ?? process.stdout.columns ?? HELP_FILE_WIDTH, MAX_HELP_WIDTH);
}

/** Returns `COLUMNS`; null if it is not set to a positive whole number. */
export function requestedWidth(): number | null {
  const columns = Number(process.env['COLUMNS']);
  return Number.isInteger(columns) && columns > 0 ? Math.max(MIN_WIDTH, columns) : null;
}
