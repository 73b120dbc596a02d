/**
 * How often random tests are repeated: `PTFLAME_TEST_TIMES=10` for ten times as often.
 */
const FACTOR = Number(process.env.PTFLAME_TEST_TIMES ?? 1);

export function times(usual: number): number {
  return Math.ceil(usual * FACTOR);
}
