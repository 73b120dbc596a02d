/**
 * Starts the tests that take longest first, so that no worker is still busy with one when the others are done. Without times
 * of an earlier run, as in a new clone, vitest goes by the sizes of files.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  'emulated/kernel',
  'consumers/batch',
  'pipeline/workers/without-sharing',
  'browser/offline/outputs',
  'browser/offline/screens',
  'browser/numbers',
  'browser/offline/compare',
  'browser/page/keys',
  'pipeline/replay-parts',
  'trace/file/windows',
  'cli/perf/script/decode',
  'pipeline/workers/resources',
  'browser/offline/hosted',
  'cli/trigger/capture',
  'browser/firefox',
  'browser/page/tables',
  'decode/kinds',
  'cli/commands/record-waits',
  'cli/process/kills',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => LONGEST.findIndex((name) => moduleId.endsWith(name)) >>> 0; // -1 last
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
