/**
 * Says what is left out of requests that are written as spans.
 */

import type { RequestsResult } from '../../../src/questions/requests/ask-requests.js';
import { formatCount, formatDuration, formatMany } from '../../../src/render/format.js';

export function leftOutLines({ cut, leftOut, details }: RequestsResult['requests']): string[] {
  const lines: string[] = [];
  if (cut > 0) lines.push(`${formatMany(cut, 'request')} left out: their start or their end was not seen`);
  if (leftOut.requests > 0) {
    const all = formatCount(leftOut.requests + details.length);
    lines.push(`only the slowest ${formatCount(details.length)} of ${all} requests are written; raise --max-spans`);
  }
  if (leftOut.calls > 0) {
    const bound = formatDuration(leftOut.minNs);
    lines.push(`${formatMany(leftOut.calls, 'call')} of less than ${bound} left out`);
  }
  return lines;
}
