/**
 * A decoder that was waited for in vain.
 */
import type { DecodeJob } from '../../../src/recordings.js';
import { formatDuration, PtflameError, perfTimeText } from '../../../src/text.js';

export function hungDecoder({ cpus, from, to }: DecodeJob, silentMs: number, stderr: string): PtflameError {
  const where = cpus ? ` of processors ${cpus.join(',')}` : '';
  const when =
    from || to ? ` from ${from ? perfTimeText(from) : 'the start'} to ${to ? perfTimeText(to) : 'the end'}` : '';
  return new PtflameError(
    'PERF_HANGS',
    `perf script${where}${when} gave nothing and did nothing for ${formatDuration(silentMs * 1e6)}, and was stopped`,
    {
      hint: 'it may wait for symbols from the network: try DEBUGINFOD_URLS= ptflame …, or another perf with --perf PATH',
      said: stderr
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(-8),
    },
  );
}
