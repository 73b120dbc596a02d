/**
 * How far a profile may be trusted: in one line, and in warnings that must not be overlooked.
 */
import type { Profile } from '../model/profile.js';
import type { Quality } from '../model/quality.js';
import { formatDuration, formatMany, formatShare } from './format.js';

/** Above this share of lost or inferred time a picture is not to be believed without a second look. */
const WARNING_SHARE = 0.05;

export interface QualitySummary {
  readonly line: string;
  readonly warnings: readonly string[];
}

export function qualitySummary({ quality, threads, meta }: Profile): QualitySummary {
  const span = meta.weight === 'ns' ? `${formatDuration(meta.endNs - meta.startNs)} of ` : '';
  const inferred = Object.values(quality.inferredCalls).reduce((sum, calls) => sum + calls, 0);
  const head = `${formatMany(quality.events, 'event')} in ${span}${formatMany(threads.length, 'thread')}`;
  const line = `${head}; ${lostText(quality)}, ${formatMany(inferred, 'call')} inferred`;
  return { line, warnings: warningsOf(quality) };
}

function lostText({ gaps, lostNs, totalNs }: Quality): string {
  if (gaps.length === 0) return 'nothing lost';
  return `${formatMany(gaps.length, 'gap')}, ${formatDuration(lostNs)} lost (${formatShare(lostNs, totalNs)})`;
}

function warningsOf(quality: Quality): string[] {
  const { lostNs, inferredNs, totalNs, damagedLines, lines, brokenInputs } = quality;
  const warnings: string[] = [];
  if (brokenInputs.length > 0)
    warnings.push(`${formatMany(brokenInputs.length, 'input')} broke off: what came before is used`);
  if (damagedLines > 0)
    warnings.push(`${formatMany(damagedLines, 'damaged line')} of ${formatMany(lines, 'line')} left out`);
  if (lostNs > WARNING_SHARE * totalNs) warnings.push(`${formatShare(lostNs, totalNs)} of the time is lost`);
  if (inferredNs > WARNING_SHARE * totalNs) warnings.push(inferredText(quality));
  return warnings;
}

/** Time after a loss, or below a jump that was not shown: the call path is likely, but no address proves it. */
function inferredText({ inferredNs, totalNs, gaps, inferredCalls }: Quality): string {
  const remedy = inferredCalls.HiddenJump > 0 && gaps.length === 0 ? '; --itrace=be shows the jumps that hide' : '';
  return `${formatShare(inferredNs, totalNs)} of the time is on call paths that were reasoned out${remedy}`;
}
