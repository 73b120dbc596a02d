/**
 * Where ptflame's time goes: the library in a process of its own, asked at each step how far it is.
 */
import { argv, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { analyze, openTraceFile, renderFolded } from '../src/index.js';
import { measure } from './measure.js';
import { median } from './rounds.js';

export interface Phases {
  /** Lines are understood and stored. */
  readonly readSeconds: number;
  /** From the last piece of input to the call trees. */
  readonly replaySeconds: number;
  /** Call trees to folded stacks, which are thrown away. */
  readonly renderSeconds: number;
}

const THIS_FILE = fileURLToPath(import.meta.url);

/** Medians over so many processes. */
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
  for (const _ of renderFolded(profile)); // nobody reads it
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
