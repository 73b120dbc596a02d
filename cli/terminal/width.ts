/**
 * How wide tables may be.
 */
const IN_A_FILE = 160;
const LEAST = 40;

/** Of the terminal that standard output is; in a file or a pipe there is more room. `COLUMNS` overrules both. */
export function tableWidth(): number {
  return askedWidth() ?? Math.max(LEAST, process.stdout.columns ?? IN_A_FILE);
}

const HELP_IN_A_FILE = 80;
/** Longer lines are hard to read. */
const WIDEST_HELP = 100;

/** Of help, likewise. */
export function helpWidth(): number {
  return Math.min(askedWidth() ?? process.stdout.columns ?? HELP_IN_A_FILE, WIDEST_HELP);
}

/** COLUMNS; null if it does not say. */
export function askedWidth(): number | null {
  const asked = Number(process.env['COLUMNS']);
  return Number.isInteger(asked) && asked > 0 ? Math.max(LEAST, asked) : null;
}
