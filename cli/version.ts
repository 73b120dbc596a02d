/**
 * `ptflame --version`: prints the versions of ptflame, Node.js and perf.
 */
import { PTFLAME_VERSION } from '../src/model/version.js';

/** Prints "0.1.0 (Node 20.20.2, perf 6.1.0)". Starts perf, which takes a moment. */
export async function version(): Promise<void> {
  process.stdout.write(`${PTFLAME_VERSION} (Node ${process.versions.node}, ${await perfText()})\n`);
}

async function perfText(): Promise<string> {
  const { perfVersion } = await import('./record/machine/version.js');
  return perfVersion('perf').then(
    ({ text }) => `perf ${text}`,
    () => 'no perf',
  );
}
