/**
 * Who is running here: ptflame, Node.js, and the perf that would record and decode.
 */
import { readFileSync } from 'node:fs';

/** "0.1.0 (Node 20.20.2, perf 6.1.0)"; asks perf, which takes a moment. */
export async function versionText(): Promise<string> {
  return `${packageVersion()} (Node ${process.versions.node}, ${await perfText()})`;
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

async function perfText(): Promise<string> {
  const { perfVersion } = await import('./perf/version.js');
  return perfVersion('perf').then(
    ({ text }) => `perf ${text}`,
    () => 'no perf',
  );
}
