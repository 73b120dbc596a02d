/**
 * How often expensive tests are repeated: `PTFLAME_TEST_TIMES=10` for ten times as often, with all fixtures. The check asks
 * the same questions each time, so it asks a sixth of them.
 */
export const FACTOR = Number(process.env.PTFLAME_TEST_TIMES ?? 1);

export function times(usual: number): number {
  return Math.ceil((usual * FACTOR) / 6);
}

/** Returns every n-th item, from the first ones on; with a larger factor, more of them. */
export function everyNth<Item>(items: readonly Item[], n: number, first = 0): readonly Item[] {
  const step = Math.max(1, Math.floor(n / FACTOR));
  return items.filter((_, at) => at % step === first % step);
}
