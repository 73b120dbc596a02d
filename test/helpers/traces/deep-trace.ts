/**
 * A trace in which main calls itself: each call lasts 20 ns longer than the one that it makes.
 */
import { traceOf } from './trace-of.js';

export function deepTrace(calls: number): string {
  const lines: string[] = [];
  for (let call = 1; call <= calls; call++) lines.push(`${10 * call} call main main`);
  for (let call = calls; call > 0; call--) lines.push(`${20 * calls - 10 * call} return main main`);
  return traceOf(lines.join('\n'));
}
