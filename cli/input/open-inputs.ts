/**
 * Opens the INPUT arguments of a command.
 */
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { nextTurn } from '../../src/host/turns.js';
import { PtflameError } from '../../src/model/errors.js';
import { firstBytes } from '../../src/perfdata/open-recording.js';
import type { EncodedRecording } from '../../src/pipeline/decode/encoded-recording.js';
import { type OpenedInput, openTraceFile, traceStream } from '../../src/pipeline/open-text.js';
import { kindOfInput } from '../../src/pipeline/other-kinds.js';
import type { DecodedRecording, SampledRecording } from '../../src/pipeline/read/recording-source.js';
import { endsOfSpan, type FunctionPattern } from '../../src/pipeline/replay/find-functions.js';
import type { CallPattern } from '../../src/pipeline/replay/selection.js';
import { openStoredTrace, type StoredTrace } from '../../src/pipeline/stored-trace.js';
import { limitMemory } from '../../src/pipeline/workers/memory-budget.js';
import type { DecodingOptions } from '../options/shared.js';
import { refuseOverwriting, statOrNull } from '../output/refuse-overwriting.js';
import type { OnlySamples } from '../perf/decode.js';
import { notifier } from '../terminal/notify.js';
import { slowestSnapshot } from './captures.js';
import type { MayLack } from './lacking-files.js';
import { refuseOtherKind } from './other-kinds.js';

/** What a command reads: text or a profile, a recording (decoded while it is read), or an imported trace. */
export type CommandInput = (OpenedInput | DecodedRecording | EncodedRecording | SampledRecording | StoredTrace) &
  MayLack;

/** Where the result goes; only standard output for commands that write no files. */
interface Outputs {
  readonly output?: string | readonly string[] | undefined;
}

/** `-` is standard input; all others are paths, a directory of snapshots that of its slowest call. @throws PtflameError also if an output is one of the inputs */
export async function openInputs(
  given: readonly string[],
  options: DecodingOptions & OnlySamples & Outputs & NamedFunctions & { readonly memory?: number | undefined },
  signal: AbortSignal,
): Promise<CommandInput[]> {
  limitMemory(options.memory === undefined ? {} : { memoryBytes: options.memory }); // for the rest of the process
  const { kallsyms, wakes } = options;
  const paths = given.map((path) => (path === '-' ? path : slowestSnapshot(path, notifier(options.quiet))));
  refuseOverwriting([...paths, ...[kallsyms, wakes].flatMap((path) => path ?? [])], [options.output ?? '-'].flat());
  if (wakes !== undefined && paths.length > 1) throw severalMains();
  if (paths.filter((path) => path === '-').length > 1)
    throw new PtflameError('BAD_OPTION', 'standard input (-) can be read only once', { hint: 'pass - once' });
  const inputs: CommandInput[] = [];
  const withSpans = { ...options, spans: spansIn(options) };
  for (const path of paths) {
    await nextTurn();
    inputs.push(path === '-' ? openStdin(options) : await openPath(path, withSpans, signal));
  }
  return inputs;
}

/** What commands call functions. */
interface NamedFunctions {
  readonly function?: unknown;
  readonly root?: FunctionPattern | undefined;
  readonly inside?: CallPattern | readonly CallPattern[] | undefined;
}

function spansIn({ function: asked, root, inside = [] }: NamedFunctions): string[] {
  const all = [asked, root, ...[inside].flat().map(({ functions }) => functions)];
  return all.filter((name) => typeof name === 'string').filter((name) => endsOfSpan(name) !== null);
}

/** Reads a named pipe like standard input: an ordinary read blocks so that not even process.exit() ends it. */
async function openPath(
  path: string,
  options: DecodingOptions & OnlySamples,
  signal: AbortSignal,
): Promise<CommandInput> {
  const kind = kindOfInput(firstBytes(path));
  if (kind === 'recording' || kind === 'pack')
    return (await import('../perf/decode.js')).decodeInput(path, options, signal);
  if (options.wakes === undefined && kind === 'stored') return openStoredTrace(path, { salvage: options.salvage });
  await refuseOtherKind(path);
  if (options.wakes !== undefined) throw noMain(path);
  const pipe = openIfPipe(path);
  if (pipe === null) return openTraceFile(path, options);
  return traceStream(path, new Socket({ fd: pipe, readable: true, writable: false }), options);
}

function severalMains(): PtflameError {
  return new PtflameError('BAD_OPTION', '--wakes belongs to one recording, but there are several inputs', {
    hint: 'move each recording of wakings next to its recording: FILE.wakes.data',
  });
}

function noMain(path: string): PtflameError {
  return new PtflameError('BAD_OPTION', `--wakes belongs to a recording, and ${path} is none`, {
    hint: 'leave --wakes out: text of wakings is an input, and an imported trace has them',
  });
}

function openIfPipe(path: string): number | null {
  if (statOrNull(path)?.isFIFO() !== true) return null;
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null; // openTraceFile reports the error
  }
}

/** Returns the total size of all inputs; null if one is a stream or a recording, whose text has an unknown length. */
export function totalSize(inputs: readonly CommandInput[]): number | null {
  const sizes = inputs.map(({ sizeBytes }) => sizeBytes ?? null);
  return sizes.reduce<number | null>((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}

function openStdin(options: DecodingOptions): OpenedInput {
  if (process.stdin.isTTY)
    throw new PtflameError('BAD_OPTION', 'standard input is a terminal', {
      hint: 'pipe a trace in: perf script … | ptflame render -',
    });
  return traceStream('standard input', process.stdin, options);
}
