/**
 * Numbers as people read them.
 */

/** "1,234,567". By hand: toLocaleString would first set up what ICU knows of languages, which takes 15 ms. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** "3 threads", "1 thread". */
export function formatMany(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Three significant digits and a unit: "94 ns", "1.53 ms". */
export function formatDuration(ns: number): string {
  for (const [unit, size] of [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
  ] as const) {
    const rounded = Number((ns / size).toPrecision(3));
    if (rounded >= 1) return `${rounded} ${unit}`; // 999.9 µs are 1 ms
  }
  return `${Number(ns.toPrecision(3))} ns`;
}

/** "≥ 182 µs": cut, not rounded, for it is a bound. */
export function formatAtLeast(ns: number): string {
  const step = 10 ** Math.max(0, String(Math.floor(ns)).length - 3);
  return `≥ ${formatDuration(step * Math.floor(ns / step))}`;
}

/** "4 of 5" calls were seen whole; "5": all were. */
export function formatCalls(calls: number, cut: number): string {
  return cut === 0 ? formatCount(calls) : `${formatCount(calls - cut)} of ${formatCount(calls)}`;
}

/**
 * For how long at least the longest call lasted, if that is one that was cut; else null. `maxNs`: of the whole calls; null,
 * NaN or infinite if there is none, or nobody knows, as `longestCutNs`.
 */
export function longestInferredNs(maxNs: number | null, longestCutNs: number | null): number | null {
  if (longestCutNs === null || !(longestCutNs > 0)) return null;
  return maxNs !== null && maxNs >= longestCutNs ? null : longestCutNs;
}

/** How long the longest call took: "3 ms"; "≥ 182 µs" if it was cut; "–" if nobody knows. As for `longestCut`. */
export function formatLongest(maxNs: number | null, longestCutNs: number | null): string {
  const cutNs = longestInferredNs(maxNs, longestCutNs);
  if (cutNs !== null) return formatAtLeast(cutNs);
  return maxNs === null || Number.isNaN(maxNs) ? '–' : formatDuration(maxNs);
}

/** "1 ms or more, 2 ms or less"; one of the two may not be given. */
export function formatBounds({ minNs, maxNs }: { readonly minNs?: number; readonly maxNs?: number }): string {
  const least = minNs === undefined ? [] : [`${formatDuration(minNs)} or more`];
  const most = maxNs === undefined ? [] : [`${formatDuration(maxNs)} or less`];
  return [...least, ...most].join(', ');
}

/** "12.4 MB". */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const) {
    const rounded = (bytes / size).toFixed(1);
    if (bytes >= 0.9995 * size && Number(rounded) >= 1) return `${rounded} ${unit}`; // 999.96 kB are 1.0 MB
  }
  return `${bytes} B`;
}

/**
 * "12.3 %", "0.04 %": at most three digits, two of them decimals. What is not nothing is never "0 %" but "<0.01 %", and what
 * is not all never "100 %" but ">99.9 %".
 */
export function formatShare(part: number, all: number): string {
  const percent = (100 * part) / Math.max(all, 1);
  if (percent > 0 && percent < 0.01) return '<0.01 %';
  if (percent > 99.9 && part < all) return '>99.9 %';
  return `${Number(percent < 1 ? percent.toFixed(2) : percent.toPrecision(3))} %`;
}
