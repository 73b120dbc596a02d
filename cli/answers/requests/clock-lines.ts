/**
 * Says how far the clock of a host is ahead of another's, and how sure that is.
 */
import type { RequestsAnswer } from '../../../src/questions/requests/schema.js';
import { formatCount, formatDuration, formatMany } from '../../../src/render/format.js';
import { visibleText } from '../../../src/render/visible-text.js';

type RequestHost = RequestsAnswer['hosts'][number];

export function clockLines({ name, offset }: RequestHost, at: number): string[] {
  if (offset === null)
    return at === 0 ? [] : [`clock of ${visibleText(name)}: unknown, as no id relates it to another host`];
  const { to, handOffs, contradictions } = offset;
  const from = `from ${formatMany(handOffs, 'hand-off')}`;
  const against =
    contradictions === 0
      ? ''
      : `; ${formatCount(contradictions)} more contradict${contradictions === 1 ? 's' : ''} them: a clock changed its speed, or ids match wrongly`;
  return [`clock of ${visibleText(name)}: offset ${offsetText(offset)} to ${visibleText(to)}, ${from}${against}`];
}

/** "+1.234 ms ± 12 µs"; "≤ +1.234 ms": nothing came back. */
function offsetText({ lowNs, highNs }: Pick<NonNullable<RequestHost['offset']>, 'lowNs' | 'highNs'>): string {
  if (lowNs === null)
    return highNs === null ? 'unknown' : `≤ ${signedText(highNs, 1)} (its work is as early as it can be)`;
  if (highNs === null) return `≥ ${signedText(lowNs, 1)} (its work is as late as it can be)`;
  const errorNs = (highNs - lowNs) / 2;
  return `${signedText((lowNs + highNs) / 2, errorNs)} ± ${formatDuration(errorNs)}`;
}

/** As many digits as the error allows. */
function signedText(ns: number, errorNs: number): string {
  const [unit, size] = UNITS.find(([, size]) => Math.abs(ns) >= size) ?? ['ns', 1];
  const digits = Math.max(0, Math.ceil(Math.log10(size / Math.max(errorNs, 1))) + 1);
  return `${ns < 0 ? '-' : '+'}${(Math.abs(ns) / size).toFixed(Math.min(digits, Math.log10(size)))} ${unit}`;
}

const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
] as const;
