/**
 * `--srcline` and `--inline` say of which binaries there is no debug information.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { DebugInfoNotes } from '../../../cli/input/debug-info.js';
import { sourceOf } from '../../../src/symbols/byte-source.js';
import { type ElfFile, readElf } from '../../../src/symbols/elf-file.js';
import { ptflame, test } from '../../helpers/cli/run-cli.js';
import { rootWith } from '../../helpers/cli/symfs.js';

const PROGRAM = '/opt/fx/plain';
/** A call in fixtures/dwarf/gcc-5-zlib. */
const TRACE = `plain 7 9.000000000: PERF_RECORD_MMAP2 7/7: [0x555555555000(0x1000) @ 0x1000 fe:00 1 0]: r-xp ${PROGRAM}
plain 7/7 [000] 10.000001001: branches:uH: call 555555555058 main+0x8 (${PROGRAM}) => 555555555170 visible+0x0 (${PROGRAM})
plain 7/7 [000] 10.000001002: branches:uH: return 555555555178 visible+0x8 (${PROGRAM}) => 55555555505d main+0xd (${PROGRAM})
`;

/** Pretends that sections are compressed in another way. */
async function compressInAnotherWay(path: string): Promise<void> {
  const bytes = await readFile(path);
  const { elf } = readElf(sourceOf(bytes)) as { elf: ElfFile };
  for (const { isCompressed, offset } of elf.sections) if (isCompressed) bytes[offset] = 99;
  await writeFile(path, bytes);
}

test('of the kernel and JIT compilers, no debug information is missed', () => {
  const notes = new DebugInfoNotes();
  for (const file of ['/tmp/jit-7.dump', '/tmp/perf-7.map', '//anon', '[kernel.kallsyms]', '[vdso]', '/opt/fx/plain'])
    notes.add(file, ['absent'], []);
  expect(notes.lines()).toEqual([expect.stringContaining('no debug information for 1 of 1 file: /opt/fx/plain; ')]);
});

describe.concurrent('notes on debug information', () => {
  test('none where it was read, or with -q', async ({ dir }) => {
    const trace = await dir.write('trace.txt', TRACE);
    const symfs = await rootWith(dir, PROGRAM, 'gcc-5-zlib');
    expect((await ptflame(['report', trace, '--symfs', symfs, '--srcline'])).stderr).not.toContain('note: ');
    expect((await ptflame(['report', trace, '--symfs', dir.path, '--srcline', '-q'])).stderr).toBe('');
  });

  test.for(['--srcline', '--inline'])('%s: where there is no binary', async (flag, { dir }) => {
    const args = [await dir.write('trace.txt', TRACE), '--symfs', dir.path, flag];
    const { stderr } = await ptflame(['report', ...args]);
    expect(stderr).toContain(`note: no debug information for 1 of 1 file: ${PROGRAM}; compile with -g, or install`);
  });

  test('where the binary is another one', async ({ dir }) => {
    const symfs = await rootWith(dir, PROGRAM, 'clang-5');
    const { stderr } = await ptflame(['report', await dir.write('trace.txt', TRACE), '--symfs', symfs, '--srcline']);
    expect(stderr).toContain(`note: code differs from the recording in 1 of 1 file: ${PROGRAM}; pass a directory`);
  });

  test('where it is compressed in another way', async ({ dir }) => {
    const symfs = await rootWith(dir, PROGRAM, 'gcc-5-zlib');
    await compressInAnotherWay(symfs + PROGRAM);
    const { stderr } = await ptflame(['report', await dir.write('trace.txt', TRACE), '--symfs', symfs, '--srcline']);
    expect(stderr).toContain(`compressed in an unknown way, in 1 of 1 file: ${PROGRAM}; inflate it: objcopy`);
  });
});
