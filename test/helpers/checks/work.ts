/**
 * How much work is it? Counts how often each piece of code runs, as test coverage does: a number that is
 * the same on every machine, however busy it is.
 */
import { type Profiler, Session } from 'node:inspector/promises';

// From the beginning: code that has run before is not counted by its blocks.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** Runs of functions, and of blocks in them (loops, branches), while `run` runs: in files whose path matches. */
export async function workOf(files: RegExp, run: () => Promise<void>): Promise<number> {
  await session.post('Profiler.takePreciseCoverage'); // and begins anew
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.filter(({ url }) => files.test(url)).reduce((sum, script) => sum + runsIn(script), 0);
}

function runsIn({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}
