/**
 * Opens a recording or a pack as an input: checks it now, decodes it when it is read.
 */

import { mkdirSync, symlinkSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import type { RecordingEnvironment } from '../../src/model/profile/profile.js';
import {
  dataFilePath,
  firstBytes,
  openRecording,
  openSides,
  recordingEnvironment,
  recordsEvents,
} from '../../src/perfdata/open-recording.js';
import { type NeededFile, neededFiles } from '../../src/perfdata/pack/needed-files.js';
import { isPack, PACK_PATHS } from '../../src/perfdata/recognize.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { salvageRecording } from '../../src/perfdata/salvage.js';
import {
  type EncodedRecording,
  type FoundBinaries,
  findBinaries,
  findTracedKernel,
  type Jumps,
} from '../../src/pipeline/decode/encoded-recording.js';
import { damagedRecording, noTrace } from '../../src/pipeline/open-recorded.js';
import type { DecodedRecording, SampledRecording } from '../../src/pipeline/read/recording-source.js';
import { formatBytes } from '../../src/render/format.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import { chooseDecoder } from '../input/choose-decoder.js';
import { encodedRecording, rootsOf } from '../input/encoded-recording.js';
import { fetchBinaries, NOTHING_FETCHED } from '../input/fetch-binaries.js';
import { lackingAtFirst, type MayLack } from '../input/lacking-files.js';
import type { DecodingOptions } from '../options/shared.js';
import { createTemporaryDirectory } from '../output/temporary-files.js';
import { notify } from '../terminal/notify.js';
import { decodeRecording } from './script.js';

/** Questions that samples alone answer need no trace to be decoded. Default: false. */
export interface OnlySamples {
  readonly onlySamples?: boolean;
  /** Such as `parse..reply`: see `OpenSourcesOptions`. */
  readonly spans?: readonly string[];
}

/** @throws PtflameError for a file that perf could not decode, with the reason */
export async function decodeInput(
  path: string,
  options: DecodingOptions & OnlySamples,
  signal: AbortSignal,
): Promise<(DecodedRecording | EncodedRecording | SampledRecording) & MayLack> {
  const place = await placeOf(path, options, signal);
  const intact = await openIntact(path, place, options, signal);
  const { recording, broken } = intact;
  const shownPath = place.isPacked ? PACK_PATHS.recording : place.path;
  const sides = await openSides({ ...place, shownPath, recording }, options.wakes, signal);
  const recorded = recordingEnvironment(recording, place.path);
  if (recording.trace !== null && !options.onlySamples) {
    const opened = { ...intact, place: { ...place, name: path }, recorded };
    return { ...(await decodeTrace(opened, options, signal)), sides };
  }
  if (!recordsEvents(recording)) throw recording.trace === null ? noTrace(path) : noSamples(path);
  return { name: path, sampled: recording, sides, recorded, broken, spans: options.spans ?? [] };
}

/** Where a recording is, and what names its addresses: those of a pack once it is unpacked. */
interface Place {
  readonly isPacked: boolean;
  /** In messages. */
  readonly name: string;
  readonly path: string;
  readonly symfs: string | null;
  readonly kallsyms: string | null;
}

async function placeOf(path: string, options: DecodingOptions, signal: AbortSignal): Promise<Place> {
  const { symfs = null, kallsyms = null, tempDir } = options;
  if (!isPack(firstBytes(path))) return { isPacked: false, name: path, path, symfs, kallsyms };
  const { unpack } = await import('./unpack.js');
  return { isPacked: true, name: `the recording in ${path}`, ...(await unpack(path, tempDir, signal)) };
}

interface Intact {
  readonly recording: Recording;
  /** Its file. */
  readonly data: string;
  /** How much could be saved; null: it is not damaged. */
  readonly broken: string | null;
}

/** Opens a recording, or what can be saved of a damaged one. `given`: what the user named. */
async function openIntact(
  given: string,
  { name, path }: Place,
  options: DecodingOptions,
  signal: AbortSignal,
): Promise<Intact> {
  const recording = await openRecording(path, { signal, name });
  if (recording.damage.length === 0) return { recording, data: path, broken: null };
  if (!options.salvage) throw damagedRecording(given, recording.damage);
  const { path: data, lost } = await salvage(path, options, signal);
  const { formats } = recording.samples;
  return { recording: await openRecording(data, { signal, name, formats, notesOf: path }), data, broken: lost };
}

interface Opened extends Intact {
  readonly place: Place;
  readonly recorded: RecordingEnvironment;
}

async function decodeTrace(
  { place: { isPacked, name, symfs, kallsyms }, recording, data, recorded, broken }: Opened,
  options: DecodingOptions,
  signal: AbortSignal,
): Promise<(DecodedRecording | EncodedRecording) & MayLack> {
  const roots = rootsOf(symfs);
  const found = findBinaries(recording, DISK_FILES, roots);
  const kernel = findTracedKernel(recording, dataFilePath(data), DISK_FILES, roots);
  const decoder = await chooseDecoder({ name, recording, found, kernel }, options);
  if (decoder === 'perf') await checkSymfs(options.symfs);
  const root = symfs ?? '/';
  const files = (await neededFiles(recording, root)).map((file) => withCopy(file, found, root));
  const debuginfod = options.debuginfod && !isPacked;
  const fetched =
    debuginfod && decoder === 'own'
      ? await fetchBinaries(recording, files, { roots, quiet: options.quiet, signal })
      : NOTHING_FETCHED;
  const lackingFiles = files.filter(({ path, state }) => state !== 'same' && !fetched.executables.has(path));
  const lacking = { files: lackingFiles, symfs: isPacked ? null : symfs };
  if (!options.quiet) for (const line of lackingAtFirst(lacking)) notify(line);
  if (decoder === 'own') {
    const named = { symfs, fetched, pltNames: options.pltNames, jumps: jumpsOf(options) };
    const encoding = { name, path: dataFilePath(data), recorded, broken, ...named };
    return { ...encodedRecording(recording, encoding), lacking };
  }
  const { perf, jobs = availableParallelism() } = options;
  // Most system calls are tail calls, and most returns jumps: without jumps the kernel's callers are not known.
  const precise = jumpsOf(options) === 'all' || (recording.trace?.hasKernel === true && !options.noJumps);
  const decoded = decodeRecording(data, recording, { perf, precise, debuginfod, jobs, symfs, kallsyms, name });
  return { ...decoded, recorded, broken, lacking };
}

function jumpsOf({ precise, noJumps }: DecodingOptions): Jumps {
  if (precise && noJumps)
    throw new PtflameError('BAD_OPTION', '--precise and --no-jumps are mutually exclusive', { hint: 'leave one out' });
  return precise ? 'all' : noJumps ? 'none' : 'leaving';
}

/** In the directory of a recording. */
const KERNEL_COPY = 'kcore_dir';

/**
 * Copies the intact part of a recording to a file that perf can read, and describes how much was saved. The copy of the kernel
 * beside it is beside the new file, too.
 */
async function salvage(path: string, { tempDir = tmpdir() }: DecodingOptions, signal: AbortSignal) {
  const data = dataFilePath(path);
  const target = join(createTemporaryDirectory(tempDir), 'perf.data');
  const isFile = data === path;
  if (!isFile) {
    mkdirSync(target);
    symlinkSync(resolve(path, KERNEL_COPY), join(target, KERNEL_COPY));
  }
  const { keptBytes, ofBytes } = await salvageRecording(data, isFile ? target : join(target, 'data'), signal);
  return { path: target, lost: `salvaged ${formatBytes(keptBytes)} of ${formatBytes(ofBytes)}` };
}

/** A binary with a copy of the recorded build id in another place is present. */
function withCopy(file: NeededFile, { paths }: FoundBinaries, root: string): NeededFile {
  const copy = paths.get(Buffer.from(file.path).toString('latin1'));
  return copy === undefined || resolve(copy) === resolve(join(root, file.path)) ? file : { ...file, state: 'same' };
}

function noSamples(path: string): PtflameError {
  return new PtflameError('NOT_RECORDED', `${path} has an Intel PT trace, but no samples of events`, {
    hint: 'record with --probe, or with --waits; ptflame latency and report answer from the trace; ptflame info FILE shows what it contains',
  });
}

/**
 * Rejects, for perf, a `--symfs` directory that is this machine's own root under another name.
 *
 * perf resolves the directory's symbolic links and ignores `/`. `/proc/PID/root`, which shows a container's files, resolves to
 * `/`, so perf would read this machine's files instead.
 *
 * @throws PtflameError BAD_OPTION
 */
export async function checkSymfs(symfs: string | undefined): Promise<void> {
  if (symfs === undefined || resolve(symfs) === '/') return;
  const real = await realpath(symfs).catch(() => null); // a missing directory is reported with its missing files
  if (real !== '/') return;
  throw new PtflameError('BAD_OPTION', `perf would read --symfs ${symfs} as /, the files of this machine`, {
    hint: "copy the container's files to a directory and pass that: --symfs DIR",
  });
}
