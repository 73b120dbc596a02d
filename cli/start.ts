#!/usr/bin/env node
/**
 * Checks the version of Node before anything else is loaded, so that an old Node gets a message instead of a syntax error.
 * Imports only what each Node has; it is built for Node 14.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { LoadedCode } from './process/load-code.js';

/** The name of the bundled program, next to this file, and the commands; set by scripts/bundle-cli.mjs. */
declare const CODE_FILES: { readonly program: string };
declare const COMMANDS: readonly string[];
/** Equals `engines` in package.json. */
const OLDEST_NODE = '20.19';
/** A run with more CPU time keeps no code: V8 has dropped what was only needed at its start. */
const SHORT_RUN_US = 2e6;
/** What a run does whose command does not exist. */
const WRONG_USE = 'usage';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);

if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
  start().catch((error) =>
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

async function start(): Promise<void> {
  if (printsCompletion(process.argv.slice(2))) return;
  const { loadCode } = await import('./process/load-code.js');
  const command = process.argv.slice(2).find((word) => !word.startsWith('-')) ?? 'help';
  const use = COMMANDS.includes(command) ? command : WRONG_USE;
  const program: LoadedCode<typeof import('./main.js')> = loadCode(`${__dirname}/${CODE_FILES.program}`, use);
  const { exitCode, ran } = await program.exports.main();
  const { user, system } = process.cpuUsage();
  if ((ran ?? WRONG_USE) === use && user + system < SHORT_RUN_US) program.keep();
  if (exitCode !== 0) process.exit(exitCode); // standard input may still be open
}

/**
 * Prints the script that a shell asks for whenever it starts, without the program, which takes three times as long: the build has
 * written it. Returns false if that is not possible.
 */
function printsCompletion([command, shell = '', ...others]: readonly string[]): boolean {
  if (command !== 'completion' || !/^[a-z]+$/.test(shell) || others.length > 0) return false;
  try {
    writeFileSync(1, readFileSync(`${__dirname}/completion.${shell}`));
    return true;
  } catch {
    return false; // the program says why
  }
}

function refuse(message: string, remedy: string): void {
  process.stderr.write(`ptflame: ${message}\n  ${remedy}\n`);
  process.exitCode = 1;
}
