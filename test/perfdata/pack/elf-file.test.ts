/**
 * Reads ELF files; other and damaged files are harmless.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { readElf } from '../../../src/perfdata/pack/needed-files.js';
import { test } from '../../helpers/cli/run-cli.js';
import { elfFile } from '../../helpers/perf/elf.js';
import { RECORDED_ROOT } from '../../helpers/perf/perf.js';

const ID = '0123456789abcdef0123456789abcdef01234567';

describe.each([32, 64] as const)('an ELF file of %d bits', (bits) => {
  test('has a build id and a debug link', async ({ dir }) => {
    const path = await dir.write('both', elfFile({ bits, buildId: ID, debugLink: 'both.debug' }));
    expect(await readElf(path)).toEqual({ isCore: false, buildId: ID, debugLink: 'both.debug' });
  });

  test('may have neither', async ({ dir }) => {
    expect(await readElf(await dir.write('plain', elfFile({ bits })))).toEqual({
      isCore: false,
      buildId: null,
      debugLink: null,
    });
  });

  test('may be garbled anywhere', async ({ dir }) => {
    const whole = elfFile({ bits, buildId: ID, debugLink: 'x' });
    const change = fc.tuple(fc.nat(whole.length - 1), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff));
    const isRead = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      await expect(readElf(await dir.write('garbled', bytes))).resolves.toBeDefined();
    });
    await fc.assert(isRead, { numRuns: 300 });
  });

  test('may have notes whose lengths wrap', async ({ dir }) => {
    const bytes = elfFile({ bits, buildId: ID });
    bytes.writeUInt32LE(0xfffffff4, bytes.indexOf('GNU\0') - 12);
    bytes.writeUInt32LE(0, bytes.indexOf('GNU\0') - 8);
    expect((await readElf(await dir.write('wrapped', bytes)))?.buildId).toBeNull();
  });

  test('may be truncated anywhere', async ({ dir }) => {
    const whole = elfFile({ bits, buildId: ID, debugLink: 'x' });
    for (let length = 0; length < whole.length; length += 7)
      await expect(readElf(await dir.write('cut', whole.subarray(0, length)))).resolves.toBeDefined();
  });
});

test('reads the output of a compiler', async () => {
  const { buildId } = (await readElf(join(RECORDED_ROOT, 'opt/ptflame/threads'))) ?? {};
  expect(buildId).toBe('0bc117e3a6d08f9d2a43360adcfec0609fc77b21');
});

test('ignores garbage, with and without the magic of ELF', async ({ dir }) => {
  const head = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  const isRead = fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.boolean(), async (bytes, isElf) => {
    const path = await dir.write('garbage', isElf ? Buffer.concat([head, bytes]) : bytes);
    await expect(readElf(path)).resolves.toBeDefined();
  });
  await fc.assert(isRead, { numRuns: 300 });
});

test('ignores missing files and directories', async ({ dir }) => {
  expect(await readElf(dir.file('nothing'))).toBeNull();
  expect(await readElf(dir.path)).toBeNull();
});
