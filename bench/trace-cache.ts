/**
 * Makes the trace of a recipe and a note of its true values, once.
 */
import { type CachedFile, cachedFile, type Maker } from './cached-file.js';
import { GENERATOR_VERSION, type Generated, generate, type Recipe } from './generator/generate.js';
import { digest, type FoldedDigest } from './generator/self-times.js';

/** `folded`: of the correct folded stacks. */
type Facts = Omit<Generated, 'fold'> & { readonly folded: FoldedDigest };

export type Trace = CachedFile<Recipe, Facts>;

const TRACES: Maker<Recipe, Facts> = {
  version: GENERATOR_VERSION,
  make(recipe, write) {
    const { fold, ...facts } = generate(recipe, write);
    return { ...facts, folded: digest(fold) };
  },
};

export function cachedTrace(directory: string, name: string, recipe: Recipe): Trace {
  return cachedFile(directory, name, recipe, TRACES);
}
