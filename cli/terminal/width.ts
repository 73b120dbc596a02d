/**
 * How wide tables may be.
 */
const IN_A_FILE = 160;
const LEAST = 40;

/** Of the terminal that standard output is; in a file or a pipe there is more room. `COLUMNS` overrules both. */
export function tableWidth(): number {
  const asked = Number(process.env['COLUMNS']);
  if (Number.isInteger(asked) && asked > 0) return Math.max(LEAST, asked);
  return Math.max(LEAST, process.stdout.columns ?? IN_A_FILE);
}
