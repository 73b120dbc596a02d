/**
 * `--srcline`: shows where functions begin in source code, if the binary that is found is the one that ran.
 */
import { describe, expect } from 'vitest';
import {
  dwarfAddress as at,
  DWARF_BACK as BACK,
  dwarfBranch as branch,
  DWARF_PROGRAM as PROGRAM,
  DWARF_TRACE as TRACE,
} from '../../helpers/cli/dwarf-trace.js';
import { ptflame, SIX_LINES, test } from '../../helpers/cli/run-cli.js';
import { rootWith } from '../../helpers/cli/symfs.js';

/** `hidden` waits in a system call. */
const WAITING = [
  ...TRACE.split('\n').slice(0, 3),
  branch(10, 'tr end  syscall', `${at(0x1160)} hidden+0xc`, '0 [unknown]'),
  'plain 7/7 [000] 10.000001020: PERF_RECORD_SWITCH OUT',
  'plain 7/7 [000] 10.000001050: PERF_RECORD_SWITCH IN',
  branch(60, 'tr strt', '0 [unknown]', `${at(0x1162)} hidden+0xe`),
  branch(70, 'return', `${at(0x1173)} hidden+0x1f`, BACK),
  branch(80, 'return', `${at(0x1192)} visible+0x1e`, `${at(0x11b8)} main+0x19`),
]
  .map((line) => `${line}\n`)
  .join('');

const LINES = { main: 15, visible: 11, hidden: 4, twice: 4 };

interface Row {
  readonly name: string;
  readonly srcline?: { readonly file: string; readonly line: number };
}

async function rowsOf(args: readonly string[]): Promise<Row[]> {
  const run = await ptflame(['report', ...args, '--json', '-q']);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return JSON.parse(run.stdout).functions;
}

describe.concurrent('--srcline', () => {
  test('finds the lines of the functions of a trace', async ({ dir }) => {
    const symfs = await rootWith(dir, PROGRAM, 'gcc-5');
    const rows = await rowsOf([await dir.write('trace.txt', TRACE), '--srcline', '--symfs', symfs]);
    expect(Object.fromEntries(rows.map(({ name, srcline }) => [name, srcline?.line]))).toEqual(LINES);
    expect(rows.find(({ name }) => name === 'twice')?.srcline?.file).toBe('/src/twice.h');
  });

  test('finds none without the option, and none in a binary that is not there', async ({ dir }) => {
    const symfs = await rootWith(dir, PROGRAM, 'gcc-5');
    const trace = await dir.write('trace.txt', TRACE);
    const hasLine = ({ srcline }: Row) => srcline !== undefined;
    expect((await rowsOf([trace, '--symfs', symfs])).some(hasLine)).toBe(false);
    expect((await rowsOf([trace, '--srcline', '--symfs', dir.path])).some(hasLine)).toBe(false);
    expect((await rowsOf([SIX_LINES, '--srcline'])).some(hasLine)).toBe(false);
  });

  test('finds none in a binary that has other functions there', async ({ dir }) => {
    const symfs = await rootWith(dir, PROGRAM, 'gcc-4');
    const rows = await rowsOf([await dir.write('trace.txt', TRACE), '--srcline', '--symfs', symfs]);
    expect(rows.filter(({ srcline }) => srcline)).toEqual([]);
  });

  test('shows them in tables and in CSV', async ({ dir }) => {
    const symfs = await rootWith(dir, PROGRAM, 'gcc-5');
    const args = [await dir.write('trace.txt', TRACE), '--srcline', '--symfs', symfs, '-q'];
    expect((await ptflame(['report', ...args])).stdout).toMatch(/ plain\.c:11 +visible$/m);
    const csv = (await ptflame(['report', ...args, '--csv'])).stdout;
    expect(csv).toMatch(/^name,.*,isStop,file,line,inferredMostly$/m);
    expect(csv).toMatch(/^twice,.*,\/src\/twice\.h,4,$/m);
    expect((await ptflame(['stacks', ...args, '--at', '+2ns'])).stdout).toMatch(/ twice\.h:4 +twice$/m);
  });

  test('shows them in tables and in CSV of latency, waits and diff', async ({ dir }) => {
    const trace = await dir.write('trace.txt', WAITING);
    const args = ['--srcline', '--symfs', await rootWith(dir, PROGRAM, 'gcc-5'), '-q'];
    const latency = (await ptflame(['latency', 'visible', trace, ...args])).stdout;
    expect(latency).toMatch(/^visible\n\/src\/plain\.c:11$/m);
    expect(latency).toMatch(/ plain\.c:4 +hidden$/m);
    expect(latency).toMatch(/ plain\.c:15 +main$/m);
    expect((await ptflame(['latency', 'visible', trace, ...args, '--csv'])).stdout).toMatch(
      /^name,.*,file,line\nhidden,.*,\/src\/plain\.c,4$/m,
    );
    expect((await ptflame(['waits', trace, ...args])).stdout).toMatch(/ plain\.c:4 +hidden$/m);
    expect((await ptflame(['waits', trace, ...args, '--csv'])).stdout).toMatch(/^place,hidden,.*,\/src\/plain\.c,4$/m);
    const { places } = JSON.parse((await ptflame(['waits', trace, ...args, '--json'])).stdout);
    expect(places[0].function.srcline).toEqual({ file: '/src/plain.c', line: 4 });
    const two = [trace, '--before', 'window=+0ns,+30ns', '--after', 'window=+30ns,+80ns', ...args];
    expect((await ptflame(['diff', ...two])).stdout).toMatch(/ plain\.c:11 +visible$/m);
    expect((await ptflame(['diff', ...two, '--csv'])).stdout).toMatch(/^visible,.*,\/src\/plain\.c,11$/m);
  });

  test('writes them into a profile, which keeps them', async ({ dir }) => {
    const symfs = await rootWith(dir, PROGRAM, 'gcc-5');
    const trace = await dir.write('trace.txt', TRACE);
    const run = await ptflame(['render', trace, '--srcline', '--symfs', symfs, '--format', 'json', '-q']);
    const { symbols, version } = JSON.parse(run.stdout);
    expect(version).toBe(2);
    expect(symbols.fileName).toEqual(['/src/plain.c', '/src/twice.h']);
    expect(
      symbols.name.map((name: string, row: number) => [name, symbols.file[row], symbols.line[row]]),
    ).toContainEqual(['twice', 1, 4]);
    const profile = await dir.write('out.json', run.stdout);
    expect((await ptflame(['render', profile, '--format', 'json', '-q'])).stdout).toBe(run.stdout);
    const rows = await rowsOf([profile]);
    expect(Object.fromEntries(rows.map(({ name, srcline }) => [name, srcline?.line]))).toEqual(LINES);
  });
});
