/**
 * Chooses the decoder of a recording: ours where it knows everything in it, else perf.
 */

import { PtflameError } from '../../src/model/errors.js';
import type { Recording } from '../../src/perfdata/recording.js';
import {
  type FoundBinaries,
  lacksKernel,
  type Unsupported,
  unsupported,
} from '../../src/pipeline/decode/encoded-recording.js';
import type { KernelFiles } from '../../src/symbols/kernel-files.js';
import type { DecodingOptions } from '../options/shared.js';
import { INSTALL_PERF } from '../perf/failures.js';
import { perfVersion } from '../record/machine/version.js';
import { notifier } from '../terminal/notify.js';

/** A recording about to be decoded. */
interface Decodable {
  /** For messages. */
  readonly name: string;
  readonly recording: Recording;
  readonly found: FoundBinaries;
  readonly kernel: KernelFiles | null;
}

const DEFAULT_PERF = 'perf';

/** Says why if it is perf. @throws PtflameError if the chosen decoder cannot decode it, or perf is needed and missing */
export async function chooseDecoder(input: Decodable, options: DecodingOptions): Promise<'own' | 'perf'> {
  const { decoder, perf, quiet } = options;
  const wantsPerf = decoder === 'perf' || (decoder === 'auto' && perf !== DEFAULT_PERF);
  if (wantsPerf) return 'perf';
  const reason = onlyPerfDecodes(input);
  if (reason === null) return 'own';
  if (decoder === 'own') throw refused(reason);
  const notify = notifier(quiet);
  if (await isInstalled(perf)) {
    notify(`note: perf decodes ${input.name}: it has ${reason.what}, which ptflame does not decode itself`);
    return 'perf';
  }
  if (!reason.hasRest) throw needsPerf(input.name, reason);
  notify(`warning: ${input.name} has ${reason.what}, which only perf decodes, and perf is missing: that time is lost`);
  return 'own';
}

/** Returns what of a recording only perf decodes, or null. */
export function onlyPerfDecodes({ recording, found, kernel }: Omit<Decodable, 'name'>): Unsupported | null {
  const bySettings = unsupported(recording) ?? lacksKernel(recording, kernel);
  if (bySettings !== null || found.narrow.length === 0) return bySettings;
  return { what: '32-bit code', hasRest: true };
}

/** One that is broken reports its own errors. */
async function isInstalled(perf: string): Promise<boolean> {
  const error = await perfVersion(perf).then(
    () => null,
    (error: unknown) => error,
  );
  return !(error instanceof PtflameError && error.code === 'PERF_MISSING');
}

function refused({ what }: Unsupported): PtflameError {
  return new PtflameError('BAD_OPTION', `--decoder own cannot decode ${what}`, {
    hint: 'leave out --decoder: perf decodes what ptflame cannot',
  });
}

function needsPerf(name: string, { what }: Unsupported): PtflameError {
  return new PtflameError('PERF_MISSING', `${name} has ${what}, which only perf decodes, and perf is not installed`, {
    hint: INSTALL_PERF,
  });
}
