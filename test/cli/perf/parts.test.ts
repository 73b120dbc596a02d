/**
 * Parts of recording that start no perf: versions, buffer sizes, perf's messages amid other output, quoting.
 */
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { chooseBuffers } from '../../../cli/record/buffers.js';
import type { Machine } from '../../../cli/record/machine/probe.js';
import { parseBuildOptions, parseVersion } from '../../../cli/record/machine/version.js';
import { PerfStderr } from '../../../cli/record/perf-stderr.js';
import { shellWords } from '../../../src/render/visible-text.js';

test.for([
  ['perf version 6.1.192', { text: '6.1.192', major: 6, minor: 1 }],
  ['perf version 6.8.0-45-generic', { text: '6.8.0-45-generic', major: 6, minor: 8 }],
  ['perf version 5.10.g1234abcd', { text: '5.10.g1234abcd', major: 5, minor: 10 }],
  ['perf not found', null],
  ['', null],
] as const)('reads the version in "%s"', ([text, version]) => {
  expect(parseVersion(text)).toEqual(version);
});

test('reads build options in both forms', () => {
  const options = parseBuildOptions(
    ' get_cpuid: [ on  ]  # HAVE_AUXTRACE_SUPPORT\n  libelf: [ OFF ]  # HAVE_LIBELF_SUPPORT ( tip: Install libelf )\n',
  );
  expect([...options]).toEqual([
    ['HAVE_AUXTRACE_SUPPORT', true],
    ['HAVE_LIBELF_SUPPORT', false],
  ]);
});

describe('chooseBuffers fits memory and limits', () => {
  const MIB = 1024 * 1024;
  const machine = (ipcLock: boolean, lockableBytes: number, availableBytes = 16e9) =>
    ({
      cpu: { online: [0, 1, 2, 3] },
      paranoid: 2,
      mlockKb: 516,
      lockableBytes,
      availableBytes,
      rights: { ipcLock },
    }) as unknown as Machine;

  test.for([
    [machine(true, 0), 4, { dataBytes: null, auxBytes: 32 * MIB }],
    [machine(true, 0, 64 * MIB), 4, { dataBytes: null, auxBytes: 4 * MIB }],
    [machine(false, 8 * MIB), 4, { dataBytes: 256 * 1024, auxBytes: 2 * MIB }],
    [machine(false, 8 * MIB), 1, { dataBytes: 256 * 1024, auxBytes: 8 * MIB }],
    [machine(false, 64 * 1024), 4, { dataBytes: 256 * 1024, auxBytes: 256 * 1024 }],
    [machine(false, 0, 1), 4, { dataBytes: 256 * 1024, auxBytes: 128 * 1024 }],
  ] as const)('case %#', ([of, count, wanted]) => {
    expect(chooseBuffers(of, count, undefined)).toEqual({ ...wanted, count });
  });
});

describe('PerfStderr', () => {
  function passedOn(pieces: readonly string[], release = 0): string {
    let text = '';
    const stderr = new PerfStderr({ write: (bytes: Buffer) => (text += bytes) } as unknown as NodeJS.WritableStream);
    pieces.forEach((piece, index) => {
      if (index === release) stderr.release();
      stderr.add(Buffer.from(piece));
    });
    stderr.end();
    return text;
  }

  test.for([
    [['a\n', '[ perf record: Woken up ]\n[ perf ', 'record: Captured', ' ]\n'], 'a\n'],
    [['ready [', 'y/n] '], 'ready [y/n] '],
    [['[', 'x]\n'], '[x]\n'],
    [['half a line\n[ per'], 'half a line\n[ per'],
    [['ä\n'], 'ä\n'],
  ] as const)("keeps perf's lines out of %j", ([pieces, wanted]) => {
    expect(passedOn(pieces)).toBe(wanted);
  });

  test('holds everything until released', () => {
    expect(passedOn(['Error: no\n'], 1)).toBe('');
    expect(passedOn(['early\n', 'late\n'], 1)).toBe('early\nlate\n');
  });
});

test('a shell reads quoted words unchanged', async () => {
  const words = ['plain', "it's", '$(x) `y` "z"', '', '-a', 'new\nline', '\\', '~', '*'];
  const { stdout } = await execa('sh', ['-c', `printf '%s\\0' ${shellWords(words)}`]);
  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
});
