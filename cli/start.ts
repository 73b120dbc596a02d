#!/usr/bin/env node
/**
 * Checks the version of Node before anything else is loaded, so that an old Node gets a message instead of a syntax error.
 * Imports nothing statically and uses only syntax that Node 14 can parse.
 */

/** Equals `engines` in package.json. */
const OLDEST_NODE = '20.19';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);

if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
  import('./main.js').catch((error) =>
    refuse(
      `cannot start: ${error instanceof Error ? error.message : error}`,
      error?.code === 'EMFILE' ? 'allow more open files: ulimit -n 1024' : 'reinstall ptflame if files are missing',
    ),
  );
else
  refuse(
    `Node ${process.versions.node} is too old: ptflame needs Node ${OLDEST_NODE} or newer`,
    'install a newer Node (https://nodejs.org), or run ptflame with one: /path/to/node ptflame ...',
  );

function refuse(message: string, remedy: string): void {
  process.stderr.write(`ptflame: ${message}\n  ${remedy}\n`);
  process.exitCode = 1;
}
