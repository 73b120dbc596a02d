/**
 * Starts the tests that take longest first, so that no worker is still busy with one when the others are done. Without times
 * of an earlier run, as in a new clone, vitest goes by the sizes of files.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  'emulated/kernel',
  'pipeline/workers/without-sharing',
  'truth/accuracy',
  'bench/generator',
  'cli/many-workers',
  'cli/process/kills',
  'pipeline/workers/resources',
  'property/fuzz',
  'browser/offline/outputs',
  'browser/offline/screens',
  'browser/numbers',
  'decode/parts',
  'decode/one-flip',
  'cli/commands/import',
  'cli/trigger/capture',
  'consumers/batch',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => LONGEST.findIndex((name) => moduleId.endsWith(name)) >>> 0; // -1 last
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
