/**
 * Measures work by counting how often each block of code runs, like test coverage: the number is the same on every
 * machine, however busy it is.
 */
import { type Profiler, Session } from 'node:inspector/promises';

// Started before everything else: code that has run already is not counted by block.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** Returns how often functions and their blocks (loops, branches) run during `run`, in files whose path matches. */
export async function workOf(files: RegExp, run: () => Promise<void>): Promise<number> {
  await session.post('Profiler.takePreciseCoverage'); // and resets the counts
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.filter(({ url }) => files.test(url)).reduce((sum, script) => sum + runsIn(script), 0);
}

function runsIn({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}
