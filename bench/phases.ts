/**
 * Measures the phases of ptflame: runs the library in a process of its own and takes the time of each step.
 */
import { argv, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { analyze } from '../src/pipeline/analyze.js';
import { openTraceFile } from '../src/pipeline/open-text.js';
import { renderFolded } from '../src/render/folded.js';
import { measure } from './measure.js';
import { median } from './rounds.js';

export interface Phases {
  /** Parsing and storing lines. */
  readonly readSeconds: number;
  /** From the last input to the call trees. */
  readonly replaySeconds: number;
  /** From call trees to folded stacks, which are discarded. */
  readonly renderSeconds: number;
}

const THIS_FILE = fileURLToPath(import.meta.url);

/** Returns medians over `runs` processes. */
export async function measurePhases(path: string, runs: number): Promise<Phases> {
  const all: Phases[] = [];
  while (all.length < runs) all.push(JSON.parse((await measure([process.execPath, THIS_FILE, path])).stdout) as Phases);
  return {
    readSeconds: median(all.map(({ readSeconds }) => readSeconds)),
    replaySeconds: median(all.map(({ replaySeconds }) => replaySeconds)),
    renderSeconds: median(all.map(({ renderSeconds }) => renderSeconds)),
  };
}

async function phasesOf(path: string): Promise<Phases> {
  const began = performance.now();
  let wasRead = began;
  const onProgress = ({ phase }: { readonly phase: string }) => {
    if (phase === 'read') wasRead = performance.now();
  };
  const profile = await analyze([await openTraceFile(path)], { trees: 'together', onProgress });
  const wasReplayed = performance.now();
  for (const _ of renderFolded(profile)); // the text is discarded
  const wasRendered = performance.now();
  const seconds = (from: number, to: number) => (to - from) / 1000;
  return {
    readSeconds: seconds(began, wasRead),
    replaySeconds: seconds(wasRead, wasReplayed),
    renderSeconds: seconds(wasReplayed, wasRendered),
  };
}

const [, program, path] = argv;
if (program === THIS_FILE && path !== undefined) stdout.write(JSON.stringify(await phasesOf(path)));
