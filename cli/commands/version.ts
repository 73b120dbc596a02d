/**
 * `ptflame --version`: who is running here: ptflame, Node.js, and the perf that would record and decode.
 */
import { PTFLAME_VERSION } from '../../src/text.js';

/** "0.1.0 (Node 20.20.2, perf 6.1.0)"; asks perf, which takes a moment. */
export async function version(): Promise<void> {
  process.stdout.write(`${PTFLAME_VERSION} (Node ${process.versions.node}, ${await perfText()})\n`);
}

async function perfText(): Promise<string> {
  const { perfVersion } = await import('../perf/machine/version.js');
  return perfVersion('perf').then(
    ({ text }) => `perf ${text}`,
    () => 'no perf',
  );
}
