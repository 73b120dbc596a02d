/**
 * The measured commands: two yardsticks and ptflame, each with a check of its output.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Trace } from './trace-cache.js';

export interface Candidate {
  readonly name: string;
  readonly command: readonly string[];
  /** @throws Error if the output is wrong, which makes the time meaningless */
  readonly check: (stdout: string) => Promise<void>;
}

/** The built command line. */
export const PROGRAM = fileURLToPath(new URL('../cli/main.js', import.meta.url));
/** All other candidates are compared with it. */
export const YARDSTICK = 'grep -c call';
/** The text of a trace, and the same trace imported, are compared with each other. */
export const FROM_TEXT = 'ptflame render';
export const FROM_IMPORTED = 'ptflame render (imported)';
const OTHER_VERSION = 'other version, render';
const WINDOW_NS = 1_000_000;
/** A function that all traces call often. */
const FUNCTION = 'malloc';
/** Other outputs than folded stacks, and all of them at once. */
export const PAGE = 'ptflame render -o x.html';
export const PROFILE = 'ptflame render -o x.json';
export const ALL_OUTPUTS = 'ptflame render -o x.folded -o x.html -o x.json';
/** One millisecond in the middle. */
export const WINDOW = 'ptflame render --window 1ms (imported)';
export const REPORT = 'ptflame report';
export const LATENCY = `ptflame latency ${FUNCTION} --slowest 10`;

/** `imported`: the trace file of the same trace; `against`: the command line of another version, or null. */
export function candidatesFor(
  trace: Trace,
  imported: string,
  flagSets: readonly string[],
  against: string | null,
): Candidate[] {
  const { path, lines } = trace;
  const countsLines = async (text: string) => expectEqual('lines', Number.parseInt(text, 10), lines);
  const countsSome = async (text: string) => expectEqual('counts calls', Number(text) > 0, true);
  return [
    { name: 'wc -l', command: ['wc', '-l', path], check: countsLines },
    { name: YARDSTICK, command: ['grep', '-c', 'call', path], check: countsSome },
    ...flagSets.map((flags) => renderCandidate(FROM_TEXT, trace, flags)),
    ...(against === null ? [] : flagSets.map((flags) => renderCandidate(OTHER_VERSION, trace, flags, against))),
    renderCandidate(FROM_IMPORTED, { ...trace, path: imported }, ''),
    outputsCandidate(PAGE, trace, ['html']),
    outputsCandidate(PROFILE, trace, ['json']),
    outputsCandidate(ALL_OUTPUTS, trace, ['folded', 'html', 'json']),
    windowCandidate(WINDOW, { ...trace, path: imported }),
    askCandidate(REPORT, trace, ['report', path]),
    askCandidate(LATENCY, trace, ['latency', FUNCTION, path, '--slowest', '10']),
  ];
}

/** Another version's stacks may have other names: they must be there, no more. */
function renderCandidate(what: string, { path, folded }: Trace, flags: string, program = PROGRAM): Candidate {
  const output = `${path}.${process.pid}.folded`;
  const words = flags.split(' ').filter(Boolean);
  return {
    name: [what, ...words].join(' '),
    command: [process.execPath, program, 'render', path, '-o', output, '--quiet', ...words],
    check: async () => {
      const { size } = statSync(output);
      const sha256 = await sha256Of(output);
      rmSync(output);
      if (program === PROGRAM) expectEqual(`the folded stacks of ${path}`, sha256, folded.sha256);
      else expectEqual('writes stacks', size > 0, true);
    },
  };
}

/** Renders to files of these kinds; a profile among them is compared with the truth. */
function outputsCandidate(name: string, { path, durationNs }: Trace, endings: readonly string[]): Candidate {
  const outputs = endings.map((ending) => `${path}.${process.pid}.${ending}`);
  const named = outputs.flatMap((output) => ['-o', output]);
  return {
    name,
    command: [process.execPath, PROGRAM, 'render', path, ...named, '--quiet'],
    check: async () => {
      for (const output of outputs) {
        const text = readFileSync(output, 'utf8');
        rmSync(output);
        if (output.endsWith('.json')) expectEqual('duration', JSON.parse(text).meta.endNs, durationNs);
        expectEqual(`${output} is written`, text.length > 0, true);
      }
    },
  };
}

function windowCandidate(name: string, { path, durationNs }: Trace): Candidate {
  const middleNs = Math.floor(durationNs / 2);
  const window = `+${middleNs}ns,+${middleNs + WINDOW_NS}ns`;
  return {
    name,
    command: [process.execPath, PROGRAM, 'render', path, '--window', window, '--format', 'json', '--quiet'],
    check: async (stdout) => expectEqual('the window', JSON.parse(stdout).meta.endNs <= WINDOW_NS, true),
  };
}

/** A question about the trace; the totals in its answer are compared with the truth. */
function askCandidate(name: string, { durationNs, lines }: Trace, words: readonly string[]): Candidate {
  return {
    name,
    command: [process.execPath, PROGRAM, ...words, '--json', '--quiet'],
    check: async (stdout) => {
      const { trace, quality, functions } = JSON.parse(stdout);
      expectEqual('duration', trace.durationNs, durationNs);
      expectEqual('events', quality.events, lines);
      expectEqual('calls are counted', functions[0].calls > 0, true);
    },
  };
}

/** Returns the command that imports a trace. */
export function importCommand(path: string, imported: string): string[] {
  return [process.execPath, PROGRAM, 'import', path, '-o', imported, '--quiet'];
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function expectEqual<Value>(what: string, actual: Value, expected: Value): void {
  if (actual !== expected) throw new Error(`${what}: got ${actual}, expected ${expected}`);
}
