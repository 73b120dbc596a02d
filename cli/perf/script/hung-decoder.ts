/**
 * Builds the error for a perf script that hangs.
 */

import { PtflameError } from '../../../src/model/errors.js';
import { perfTimeText } from '../../../src/model/trace/perf-time.js';
import type { DecodeJob } from '../../../src/perfdata/plan-jobs.js';
import { formatDuration } from '../../../src/render/format.js';

export function hungDecoder({ cpus, from, to }: DecodeJob, silentMs: number, stderr: string): PtflameError {
  const where = cpus ? ` of CPUs ${cpus.join(',')}` : '';
  const when =
    from || to ? ` from ${from ? perfTimeText(from) : 'the start'} to ${to ? perfTimeText(to) : 'the end'}` : '';
  return new PtflameError(
    'PERF_HANGS',
    `perf script${where}${when} printed nothing and used no CPU for ${formatDuration(silentMs * 1e6)}, and was killed`,
    {
      hint: 'try another perf: --perf PATH; with --debuginfod, it may be waiting for the network',
      output: stderr
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(-8),
    },
  );
}
