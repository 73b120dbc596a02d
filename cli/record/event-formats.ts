/**
 * Writes the formats of a recording's tracepoints and probes next to it, before it begins: perf writes them into the recording
 * at its end, so that of a killed perf lacks them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PtflameError, systemReason } from '../../src/model/errors.js';
import { formatsPath } from '../../src/perfdata/beside.js';
import { kernelNotes } from './machine/kernel-symbols.js';
import { eventDirectory } from './machine/tracing.js';

/** perf creates recordings with it. There is none yet whose mode could be taken. */
const MODE_OF_PERF = 0o600;

/**
 * `tracing`: the directory of tracefs. `hasChains`: the functions of the kernel that say why threads wait are noted, too: their
 * addresses are others after the next boot.
 *
 * @throws PtflameError OUTPUT_UNWRITABLE
 */
export async function writeFormats(
  output: string,
  events: readonly string[],
  tracing: string,
  hasChains: boolean,
): Promise<void> {
  const formats = await Promise.all(events.map((event) => formatOf(event, tracing)));
  const kernel = hasChains
    ? await kernelNotes('/', (await import('../../src/questions/waits/wait-facts.js')).isOfWaits)
    : '';
  const path = formatsPath(output);
  const text = formats.join('') + kernel;
  await writeFile(path, text, { flag: 'wx', mode: MODE_OF_PERF, flush: true }).catch((cause: unknown) => {
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot write ${path}: ${systemReason(cause)}`, {
      hint: 'choose another directory with -o',
      cause,
    });
  });
}

/** Returns "event sched:sched_waking" and the kernel's description below it. */
async function formatOf(event: string, tracing: string): Promise<string> {
  const text = await readFile(join(tracing, eventDirectory(event), 'format'), 'utf8');
  return `event ${event}\n${text}${text.endsWith('\n') ? '' : '\n'}`;
}

/** Returns whether a file begins like formats. */
export function areFormats(head: Uint8Array): boolean {
  return /^event [\w-]+:[\w-]+\n/.test(Buffer.from(head.subarray(0, 256)).toString('latin1'));
}
