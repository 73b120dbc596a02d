/**
 * `ptflame info`: what a recording or an imported trace holds, without decoding it.
 */
import { stat } from 'node:fs/promises';
import {
  isPack,
  isTraceFile,
  openRecording,
  openTraceFile,
  PtflameError,
  type Recording,
  tellKind,
} from '../../src/index.js';
import { firstBytes } from '../data-file.js';
import { describeRecording } from '../describe-recording.js';
import type { InfoOptions } from '../options.js';
import { openOutput, writeAll } from '../outputs.js';
import type { RecordingInfo } from '../recording-info.js';
import { recordingLines } from '../terminal/recording.js';
import type { TraceInfo } from '../trace-info.js';

export async function info({ file, json }: InfoOptions, signal: AbortSignal): Promise<void> {
  const pieces = isTraceFile(firstBytes(file)) ? await ofTrace(file, json) : await ofRecording(file, json, signal);
  await writeAll([{ output: await openOutput('-'), pieces }]);
}

async function ofRecording(file: string, json: boolean, signal: AbortSignal): Promise<() => Iterable<string>> {
  const described = describeRecording(file, await open(file, signal));
  return () => (json ? asJson(described) : asText(recordingLines(described)));
}

async function ofTrace(file: string, json: boolean): Promise<() => Iterable<string>> {
  const { importedLines } = await import('../terminal/imported.js');
  const described = (await import('../trace-info.js')).traceInfo(file);
  return () => (json ? asJson(described) : asText(importedLines(described)));
}

async function open(path: string, signal: AbortSignal): Promise<Recording> {
  if (path === '-')
    throw new PtflameError('BAD_OPTION', 'a recording is not read from a pipe', { hint: 'name its file' });
  if (isPack(firstBytes(path))) {
    const { unpack } = await import('../perf/unpack.js');
    return openRecording((await unpack(path, undefined, signal)).path, { signal, name: `the recording in ${path}` });
  }
  try {
    return await openRecording(path, { signal });
  } catch (error) {
    const isOther = error instanceof PtflameError && error.code === 'INPUT_KIND';
    if (isOther && (await stat(path)).isFile()) await refuseOtherKinds(path);
    throw error;
  }
}

const TEXT = /^[\t\n\r\x20-\x7e\x80-\xff]+$/;

/** What ptflame knows better than perf is told what to do with; the kinds that are packed, opening refuses itself. */
async function refuseOtherKinds(path: string): Promise<void> {
  const { kind, bytes } = await tellKind(await openTraceFile(path));
  const { value: first } = await bytes[Symbol.asyncIterator]().next();
  if (first === undefined || !TEXT.test(Buffer.from(first.subarray(0, 4096)).toString('latin1'))) return;
  const what = kind === 'profile' ? 'a profile' : 'text, perhaps of a decoded trace';
  throw new PtflameError('INPUT_KIND', `${path} is ${what}, not a recording of perf (perf.data)`, {
    hint: `ptflame render ${path} -o flame.svg`,
  });
}

function* asText(lines: readonly string[]): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}

// JSON escapes the lower control characters only; some terminals obey the upper ones too
const ACTING = /[\x7f-\x9f]/g;

function* asJson(described: RecordingInfo | TraceInfo): Generator<string> {
  const text = JSON.stringify(described, null, 2);
  yield `${text.replace(ACTING, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)}\n`;
}
