/**
 * What is measured on a trace: two yardsticks and ptflame, each with a check that it did its work.
 */
import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Trace } from './trace-cache.js';

export interface Candidate {
  readonly name: string;
  readonly command: readonly string[];
  /** @throws Error if what it gave is wrong: then its time means nothing */
  readonly check: (stdout: string) => Promise<void>;
}

/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../cli/main.js', import.meta.url));
/** What every other candidate is compared with. */
export const YARDSTICK = 'grep -c call';
/** Of text, and of the same trace imported: one is compared with the other. */
export const FROM_TEXT = 'ptflame render';
export const FROM_IMPORTED = 'ptflame render (imported)';
/** A function that is called often in all traces. */
const ASKED = 'malloc';
export const REPORT = 'ptflame report';
export const LATENCY = `ptflame latency ${ASKED} --slowest 10`;

/** `imported`: the file of the same trace. */
export function candidatesFor(trace: Trace, imported: string, flagSets: readonly string[]): Candidate[] {
  const { path, lines } = trace;
  const countsLines = async (text: string) => expectEqual('lines', Number.parseInt(text, 10), lines);
  const countsSome = async (text: string) => expectEqual('counts calls', Number(text) > 0, true);
  return [
    { name: 'wc -l', command: ['wc', '-l', path], check: countsLines },
    { name: YARDSTICK, command: ['grep', '-c', 'call', path], check: countsSome },
    ...flagSets.map((flags) => ptflame(FROM_TEXT, trace, flags)),
    ptflame(FROM_IMPORTED, { ...trace, path: imported }, ''),
    asking(REPORT, trace, ['report', path]),
    asking(LATENCY, trace, ['latency', ASKED, path, '--slowest', '10']),
  ];
}

function ptflame(what: string, { path, folded }: Trace, flags: string): Candidate {
  const output = `${path}.${process.pid}.folded`;
  const words = flags.split(' ').filter(Boolean);
  return {
    name: [what, ...words].join(' '),
    command: [process.execPath, PROGRAM, 'render', path, '-o', output, '--quiet', ...words],
    check: async () => {
      const sha256 = await sha256Of(output);
      rmSync(output);
      expectEqual(`the folded stacks of ${path}`, sha256, folded.sha256);
    },
  };
}

/** Questions about the trace: what they say of it as a whole is compared with the truth. */
function asking(name: string, { durationNs, lines }: Trace, words: readonly string[]): Candidate {
  return {
    name,
    command: [process.execPath, PROGRAM, ...words, '--json', '--quiet'],
    check: async (stdout) => {
      const { trace, quality, functions } = JSON.parse(stdout);
      expectEqual('how long it lasts', trace.durationNs, durationNs);
      expectEqual('its events', quality.events, lines);
      expectEqual('calls are counted', functions[0].calls > 0, true);
    },
  };
}

/** The command that imports a trace. */
export function importing(path: string, imported: string): string[] {
  return [process.execPath, PROGRAM, 'import', path, '-o', imported, '--quiet'];
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function expectEqual<Value>(what: string, is: Value, should: Value): void {
  if (is !== should) throw new Error(`${what}: ${is}, and the truth is ${should}`);
}
