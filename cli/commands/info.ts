/**
 * `ptflame info`: shows what an input is and contains, decodes a sample of a recording, and names the next command.
 */

import * as z from 'zod';
import { PtflameError, systemReason } from '../../src/model/errors.js';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { isPack, isRecording } from '../../src/perfdata/recognize.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { shellWords } from '../../src/render/visible-text.js';
import { isTraceFile } from '../../src/trace/file/format.js';
import { describeRecording } from '../info/describe-recording.js';
import { otherInfo, otherLines } from '../info/other-inputs.js';
import type { RecordingInfo } from '../info/recording-info.js';
import { recordingLines } from '../info/recording-lines.js';
import { sampleDecoding } from '../info/sample-decoding.js';
import { dataFilePath, firstBytes, mainOfWakings, openSides } from '../input/open-sides.js';
import { decoding, decodingWords, general, outputs, symfs } from '../options/shared.js';
import { path } from '../options/values.js';
import { type AnswerFormats, answerFormats, openAnswer } from '../output/answer.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame info`. */
export const InfoOptions = z.object({
  file: path,
  ...group('Output', {
    output: outputs('write FILE.txt or .json instead of printing; may be repeated'),
    json: flag(z.boolean().default(false), 'print JSON, for programs: docs/perf-data.md', {
      common: 'print JSON, for programs',
    }),
  }),
  ...group('Input', { symfs, wakes: decoding().wakes }),
  ...general(),
});
export type InfoOptions = z.infer<typeof InfoOptions>;

export const command = defineCommand({
  examples: [
    ['ptflame info perf.data', 'machine, settings, losses, threads, and the cost of decoding'],
    ['ptflame info fleet', 'a folder of tables; any other input, too'],
  ],
  arguments: [
    {
      property: 'file',
      placeholder: 'FILE',
      description: 'any input: a recording, a pack, a trace, text, a profile, a levels file, a folder of tables',
      isFile: true,
    },
  ],
  schema: InfoOptions,
  formats: answerFormats,
  run: info,
});

export async function info(options: InfoOptions, signal: AbortSignal): Promise<void> {
  const { file } = options;
  if (file !== '-') refuseOverwriting([file], options.output ?? ['-']);
  const output = await openAnswer(options, [file]);
  const answer = await answerOf(options, signal);
  await output.write(answer);
}

async function answerOf(options: InfoOptions, signal: AbortSignal): Promise<AnswerFormats> {
  const { file } = options;
  const first = firstBytes(file);
  if (isTraceFile(first)) return traceAnswer(file);
  const other = file === '-' || isRecording(first) || isPack(first) ? null : await otherInfo(file, signal);
  if (other === null) {
    if (first[0] === 0x1f && first[1] === 0x8b && !isPack(first)) await refuseCompressed(file);
    return recordingAnswer(options, signal);
  }
  return { json: () => other, text: () => otherLines(other) };
}

/** @throws PtflameError for what gzip compressed that is damaged, or may not be compressed */
async function refuseCompressed(file: string): Promise<void> {
  const { openTraceFile } = await import('../../src/pipeline/open-text.js');
  try {
    for await (const _ of (await openTraceFile(file)).bytes) return;
  } catch (cause) {
    if (cause instanceof PtflameError) throw cause;
    throw new PtflameError(
      'INPUT_UNREADABLE',
      `${file} is damaged: gzip cannot decompress it (${systemReason(cause)})`,
      {
        hint: `copy it again from where it was made; gzip -t ${shellWords([file])} checks it`,
        cause,
      },
    );
  }
}

async function recordingAnswer(options: InfoOptions, signal: AbortSignal): Promise<AnswerFormats> {
  const { file, symfs = null, wakes } = options;
  const { recording, path, root } = await open(file, signal);
  const sides = await openSides({ name: file, path, recording }, wakes, signal);
  const sampled = sampleDecoding(recording, { path: dataFilePath(path), symfs: root ?? symfs });
  const described = describeRecording(file, recording, sides, sampled);
  return {
    json: () => described,
    text: () => [...recordingLines(described), '', `next: ${nextStep(described, decodingWords(options))}`],
  };
}

/** A command to go on with. */
function nextStep({ file, settings, samples, aux }: RecordingInfo, options: readonly string[]): string {
  const main = mainOfWakings(file);
  if (main !== null) return `ptflame waits ${shellWords([main])}: its wakings are in this file`;
  if (settings !== null && aux.bytes > 0) return drawing([file, ...options]);
  if (samples.events.length > 0) return `ptflame waits ${shellWords([file, ...options])}: it has no Intel PT trace`;
  return 'ptflame record traces calls; this recording has no Intel PT trace';
}

function drawing(words: readonly string[]): string {
  return `ptflame render ${shellWords(words)} -o flame.html`;
}

async function traceAnswer(file: string): Promise<AnswerFormats> {
  const { traceInfo, importedLines } = await import('../info/trace-info.js');
  const described = traceInfo(file);
  const next = described.events === 0 ? `ptflame waits ${shellWords([file])}` : drawing([file]);
  return { json: () => described, text: () => [...importedLines(described), '', `next: ${next}`] };
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
    const { unpack } = await import('../perf/unpack.js');
    const unpacked = await unpack(path, undefined, signal);
    const recording = await openRecording(unpacked.path, { signal, name: `the recording in ${path}` });
    return { recording, path: unpacked.path, root: unpacked.symfs };
  }
  return { recording: await openRecording(path, { signal }), path, root: null };
}
