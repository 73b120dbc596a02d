/**
 * `ptflame info`: shows what a recording or an imported trace contains, and decodes a sample of it.
 */
import { stat } from 'node:fs/promises';
import { detectInputKind, isPack, isTraceFile } from '../../src/internal.js';
import { openTraceFile, PtflameError, readProfile } from '../../src/profiles.js';
import { openRecording, type Recording } from '../../src/recordings.js';
import { shellWords } from '../../src/text.js';
import { describeRecording } from '../info/describe-recording.js';
import { recordingLines } from '../info/recording-lines.js';
import { sampleDecoding } from '../info/sample-decoding.js';
import { dataFilePath, firstBytes } from '../input/data-file.js';
import { openSides } from '../input/open-sides.js';
import type { InfoOptions } from '../options/info.js';
import { type AnswerFormats, openAnswer } from '../output/answer.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';

export async function info(options: InfoOptions, signal: AbortSignal): Promise<void> {
  const { file } = options;
  if (file !== '-') refuseOverwriting([file], options.output ?? ['-']);
  const output = await openAnswer(options, [file]);
  const answer = isTraceFile(firstBytes(file)) ? await traceAnswer(file) : await recordingAnswer(options, signal);
  await output.write(answer);
}

async function recordingAnswer(options: InfoOptions, signal: AbortSignal): Promise<AnswerFormats> {
  const { file, symfs = null, wakes } = options;
  const { recording, path, root } = await open(file, signal);
  const sides = await openSides({ name: file, path, recording }, wakes, signal);
  const decoding = sampleDecoding(recording, { path: dataFilePath(path), symfs: root ?? symfs });
  const described = describeRecording(file, recording, sides, decoding);
  return { json: () => described, text: () => recordingLines(described) };
}

async function traceAnswer(file: string): Promise<AnswerFormats> {
  const { traceLines: importedLines } = await import('../info/trace-lines.js');
  const described = (await import('../info/trace-info.js')).traceInfo(file);
  return { json: () => described, text: () => importedLines(described) };
}

/** A recording, its file, and the directory of its binaries if it came in a pack. */
interface OpenedRecording {
  readonly recording: Recording;
  readonly path: string;
  readonly root: string | null;
}

async function open(path: string, signal: AbortSignal): Promise<OpenedRecording> {
  if (path === '-')
    throw new PtflameError('BAD_OPTION', 'a recording cannot be read from a pipe', { hint: 'pass its file' });
  if (isPack(firstBytes(path))) {
    const { unpack } = await import('../perf/script/unpack.js');
    const unpacked = await unpack(path, undefined, signal);
    const recording = await openRecording(unpacked.path, { signal, name: `the recording in ${path}` });
    return { recording, path: unpacked.path, root: unpacked.symfs };
  }
  try {
    return { recording: await openRecording(path, { signal }), path, root: null };
  } catch (error) {
    const isOther = error instanceof PtflameError && error.code === 'INPUT_KIND';
    if (isOther && (await stat(path)).isFile()) await refuseOtherKinds(path);
    throw error;
  }
}

const TEXT = /^[\t\n\r\x20-\x7e\x80-\xff]+$/;

async function firstPiece(path: string, bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await bytes[Symbol.asyncIterator]().next()).value;
  } catch (cause) {
    if (cause instanceof PtflameError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PtflameError('INPUT_KIND', `${path} is not a recording (perf.data), and cannot be read: ${why}`, {
      hint: 'copy it again from where it was made',
      cause,
    });
  }
}

/** Tells users what to do with profiles and text. Opening rejects recordings that perf compressed or piped. */
async function refuseOtherKinds(path: string): Promise<void> {
  const input = await openTraceFile(path);
  const first = await firstPiece(path, input.bytes);
  if (first === undefined || !TEXT.test(Buffer.from(first.subarray(0, 4096)).toString('latin1'))) return;
  const again = await detectInputKind(await openTraceFile(path));
  if (again.kind === 'profile') await readProfile(again); // refuses other JSON
  const what = again.kind === 'profile' ? 'a profile' : 'text, perhaps a decoded trace';
  throw new PtflameError('INPUT_KIND', `${path} is ${what}, not a recording (perf.data)`, {
    hint: `draw it: ptflame render ${shellWords([path])} -o flame.svg`,
  });
}
