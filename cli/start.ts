#!/usr/bin/env node
/**
 * The first file that runs: on a Node that is too old it says so, instead of failing on whatever that Node does not know.
 * So nothing else is imported before that, and nothing is written here that Node 14 could not read.
 */

/** As `engines` in package.json says. */
const OLDEST_NODE = '20.19';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);

if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
  import('./main.js').catch((error) =>
    refuse(
      `cannot start: ${error instanceof Error ? error.message : error}`,
      error?.code === 'EMFILE'
        ? 'allow more open files: ulimit -n 1024'
        : 'if files of it are missing, install ptflame again',
    ),
  );
else
  refuse(
    `Node ${process.versions.node} is too old: ptflame needs Node ${OLDEST_NODE} or newer`,
    'install a newer one (https://nodejs.org), or run ptflame with it: /path/to/node ptflame ...',
  );

function refuse(message: string, remedy: string): void {
  process.stderr.write(`ptflame: ${message}\n  ${remedy}\n`);
  process.exitCode = 1;
}
