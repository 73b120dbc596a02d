/**
 * Compares all names of this machine's binaries with c++filt, and the names at their offsets with perf. Takes long:
 * `SYMBOL_BINARIES="/usr/bin/node /usr/lib/x86_64-linux-gnu/libc.so.6" npx vitest run test/symbols/bulk-oracle.test.ts`
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { demangle } from '../../src/symbols/demangle/demangle.js';
import { loadBinary } from '../../src/symbols/load-binary.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import type { SymbolTable } from '../../src/symbols/symbol-table.js';
import { test } from '../helpers/cli/run-cli.js';
import { askPerf } from './sampled.js';

const BINARIES = (process.env['SYMBOL_BINARIES'] ?? '').split(/\s+/).filter((path) => path !== '');
const TIMEOUT_MS = 3_600_000;
/** Distance between compared offsets, in addition to both ends of each symbol. */
const STEP_BYTES = 4099;

const isWanted = BINARIES.length > 0;

describe.skipIf(!isWanted).each(isWanted ? BINARIES : ['no binaries'])('%s', (path) => {
  test('demangles every name as c++filt does', { timeout: TIMEOUT_MS }, () => {
    const names = mangledNames(path);
    const printed = run('c++filt', ['-p', '-i'], `${names.join('\n')}\n`).split('\n');
    const different = names.filter((name, at) => (demangle(name) ?? name) !== printed[at]);
    expect([different.length, different.slice(0, 5)]).toEqual([0, []]);
  });

  test('finds the name that perf finds at every offset', { timeout: TIMEOUT_MS }, async ({ dir }) => {
    const roots = { root: '', cache: join(homedir(), '.debug') };
    const table = loadBinary(path, null, DISK_FILES, roots, { demangle, pltNames: 'perf-6.1' });
    if (table === null) throw new Error('no symbols');
    const { length } = readFileSync(path);
    const offsets = offsetsIn(table, length);
    const printed = askPerf(join(dir.path, 'perf.data'), [{ path, offsets, bytes: length }]);
    const different = offsets.filter((offset, at) => nameAt(table, offset) !== printed[at]);
    expect([different.length, different.slice(0, 5)]).toEqual([0, []]);
  });
});

function mangledNames(path: string): string[] {
  const lines = [[], ['-D']].flatMap((options) => run('nm', [...options, path]).split('\n'));
  const names = lines.map((line) => line.replace(/^.* /, '').replace(/@.*/, ''));
  return [...new Set(names)].filter((name) => /^_[\w.$]+$/.test(name));
}

/** Returns the first and last byte of each symbol, the ones next to them, and some in between. */
function offsetsIn(table: SymbolTable, bytes: number): number[] {
  const offsets = new Set<number>();
  for (let at = 0; at < bytes; ) {
    const found = table.find(at);
    const next = found === null ? at + 1 : Math.max(found.end, at + 1);
    if (found !== null) for (const offset of [at - 1, at, next - 1, next]) offsets.add(offset);
    if (at % STEP_BYTES === 0) offsets.add(at);
    at = next;
  }
  return [...offsets].filter((offset) => offset >= 0 && offset < bytes).sort((one, other) => one - other);
}

function nameAt(table: SymbolTable, offset: number): string {
  const found = table.find(offset);
  return found === null ? '[unknown]' : `${found.name}+0x${(offset - found.start).toString(16)}`;
}

function run(program: string, args: readonly string[], input = ''): string {
  return execFileSync(program, args, { input, stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 2 ** 30 }).toString(
    'latin1',
  );
}
