/**
 * Who is running here: ptflame, Node.js, and the perf that would record and decode.
 */
import { readFileSync } from 'node:fs';

const LONGEST_WAIT_MS = 3000;

/** "0.1.0 (Node 20.20.2, perf 6.1.0)"; asks perf, which takes a moment. */
export async function versionText(): Promise<string> {
  return `${packageVersion()} (Node ${process.versions.node}, ${await perfVersion()})`;
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

/** Distributions put a script in its place that only says which package is missing. */
async function perfVersion(): Promise<string> {
  const { execa } = await import('execa');
  const { stdout = '' } = await execa('perf', ['--version'], {
    reject: false,
    timeout: LONGEST_WAIT_MS,
    stdin: 'ignore',
  });
  const version = /\d+\.\d+\S*/.exec(String(stdout))?.[0];
  return version === undefined ? 'no perf' : `perf ${version}`;
}
