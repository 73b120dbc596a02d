/**
 * A recipe in, a trace and the truth about it out. The same recipe always gives the same bytes.
 */
import { growPaths } from './call-paths.js';
import { lineTexts } from './line-texts.js';
import { LineWriter } from './line-writer.js';
import { Machine } from './machine.js';
import { makeProgram } from './program.js';
import { Random } from './random.js';
import { SelfTimes, type TextSink } from './self-times.js';
import { Thread, Walk } from './walk.js';

/** To be raised with every change of the bytes that come out. */
export const GENERATOR_VERSION = 1;

export interface Recipe {
  readonly seed: number;
  /** The line that reaches it is the last one. */
  readonly sizeBytes: number;
  readonly threads: number;
  readonly cpus: number;
  readonly functions: number;
  /** Paths of calls that may be taken. */
  readonly paths: number;
}

export interface Generated {
  readonly bytes: number;
  /** Each is an event. */
  readonly lines: number;
  readonly durationNs: number;
  /** Gives what ptflame should make of the trace, as folded stacks. */
  readonly fold: (sink: TextSink) => void;
}

/** Of the paths; the first of many threads needs some to go to. */
const LEAST_MAIN_SHARE = 1 / 32;
const ORIGIN_SECONDS = 858_572;

/** `sink`: what it is given is overwritten when it returns. */
export function generate(recipe: Recipe, sink: (bytes: Uint8Array) => void): Generated {
  const random = new Random(recipe.seed);
  const program = makeProgram(recipe.functions, random);
  const paths = growPaths(program, recipe.paths, Math.max(1 / recipe.threads, LEAST_MAIN_SHARE), random);
  const times = new SelfTimes(paths.length);
  const writer = new LineWriter(lineTexts(program), ORIGIN_SECONDS, sink);
  const walk = new Walk(program, paths, times, writer, random);
  const threads = Array.from({ length: recipe.threads }, (_, row) => {
    return new Thread(114_078 + row, paths.roots[row === 0 ? 0 : 1]);
  });
  const durationNs = new Machine(threads, recipe.cpus, walk, random).run(() => writer.bytes >= recipe.sizeBytes);
  writer.flush();
  const { bytes, lines } = writer;
  return { bytes, lines, durationNs, fold: (to) => times.fold(program, paths, to) };
}
