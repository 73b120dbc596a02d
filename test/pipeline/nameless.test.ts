/**
 * Functions without a symbol have names of their own: file and offset, if known.
 */
import { describe, expect, test } from 'vitest';
import { analyze, renderFolded, renderJson } from '../../src/index.js';
import { shortFileName, UNMAPPED_KERNEL } from '../../src/model/symbol-table.js';
import { familyOf } from '../../src/render/frames/colours.js';
import { analyzeText, fold, inputOf } from '../helpers/traces/load.js';

const LIB = '/usr/lib/liblzma.so.5.4.1';

/** A call of a nameless function and its return, in a process; `suffix`: what perf prints after `[unknown]`. */
function call(tid: number, address: number, suffix = ''): string {
  const at = (place: number) =>
    `${place.toString(16)} [unknown]${suffix.replace('ADDRESS', (place & 0xfffff).toString(16))}`;
  const time = (ns: number) => `${tid}/${tid} [000] 5.0000${tid}0${ns}:`;
  return [
    `${time(10)} tr strt 0 [unknown] => 401000 main+0x0`,
    `${time(20)} call 401010 main+0x10 => ${at(address)}`,
    `${time(50)} return ${at(address + 0x30)} => 401015 main+0x15`,
    '',
  ].join('\n');
}

function mapping(pid: number, start: number, file: string, offset = 0x4000, length = 0x20000): string {
  const range = `0x${start.toString(16)}(0x${length.toString(16)}) @ 0x${offset.toString(16)} fe:00 1 0`;
  return `${pid} [000] 0.000000000: PERF_RECORD_MMAP2 ${pid}/${pid}: [${range}]: r-xp ${file}\n`;
}

/** The frames above main. */
async function names(text: string): Promise<string[]> {
  return fold(await analyzeText(text)).match(/(?<=^main;)\[(?!untraced).*\](?= \d+$)/gm) ?? [];
}

describe('a function without a symbol is named', () => {
  test.each([
    ['by its address if nothing is known', '', '', '[unknown 0x7f0000012340]'],
    ['by file and offset if a mapping is known', mapping(11, 0x7f0000010000, LIB), '', '[liblzma.so.5.4.1+0x6340]'],
    [
      'by file and offset if perf prints the file, too',
      mapping(11, 0x7f0000010000, LIB),
      ` (${LIB})`,
      '[liblzma.so.5.4.1+0x6340]',
    ],
    ['by file and address if perf prints only the file', '', ` (${LIB})`, '[liblzma.so.5.4.1 0x7f0000012340]'],
    ['by the offset that perf prints', '', ` (${LIB}+0xADDRESS)`, '[liblzma.so.5.4.1+0x12340]'],
    ['by its address if perf knows no file', '', ' ([unknown])', '[unknown 0x7f0000012340]'],
    ['by its address if only other memory is mapped', mapping(11, 0x7f0000030000, LIB), '', '[unknown 0x7f0000012340]'],
    [
      'by file and offset if the file was deleted',
      mapping(11, 0x7f0000010000, `${LIB} (deleted)`),
      '',
      '[liblzma.so.5.4.1+0x6340]',
    ],
    [
      'by its address in code generated at run time',
      mapping(11, 0x7f0000010000, '//anon'),
      '',
      '[unknown 0x7f0000012340]',
    ],
    ['by its address in a perf map', '', ' (/tmp/perf-11.map)', '[unknown 0x7f0000012340]'],
    ['by its offset in the vdso', mapping(11, 0x7f0000010000, '[vdso]', 0x99), '', '[vdso+0x2340]'],
    ['by its address in a module of the kernel', '', ' ([virtio_net])', '[virtio_net 0x7f0000012340]'],
    ['by its address in the kernel', '', ' ([kernel.kallsyms])', '[kernel 0x7f0000012340]'],
    [
      'by its address if only a process that is not traced has a mapping',
      mapping(12, 0x7f0000010000, LIB),
      '',
      '[unknown 0x7f0000012340]',
    ],
  ])('%s', async (_, mappings, suffix, name) => {
    expect(await names(mappings + call(11, 0x7f0000012340, suffix))).toEqual([name]);
  });

  test('the same wherever the file is loaded', async () => {
    const run = async (base: number) => names(mapping(11, base, LIB) + call(11, base + 0x2340));
    expect(await run(0x7f1234560000)).toEqual(await run(0x7f0000010000));
  });

  test('by its page if no entry was seen', async () => {
    const lines = [
      `11/11 [000] 5.000000001: tr strt 0 [unknown] => 7f0000012340 [unknown]`,
      `11/11 [000] 5.000000002: call 7f0000012350 [unknown] => 401000 leaf+0x0`,
      `11/11 [000] 5.000000009: return 401010 leaf+0x10 => 7f0000012355 [unknown]`,
    ];
    const text = `${lines.join('\n')}\n`;
    expect(fold(await analyzeText(text))).toContain('[unknown 0x7f0000012000-0x7f0000012fff];leaf');
    expect(fold(await analyzeText(mapping(11, 0x7f0000010000, LIB) + text))).toContain(
      '[liblzma.so.5.4.1+0x6000-0x6fff];leaf',
    );
  });

  test('by the file that perf printed, or not at all, if two processes have different files at one address', async () => {
    const mappings = mapping(11, 0x7f0000010000, LIB) + mapping(12, 0x7f0000010000, '/opt/other', 0);
    const both = (eleven: string, twelve: string) =>
      mappings + call(11, 0x7f0000012340, eleven) + call(12, 0x7f0000012340, twelve);
    expect(await names(both('', ''))).toEqual(['[unknown 0x7f0000012340]']);
    expect(await names(both(` (${LIB})`, ' (/opt/other)'))).toEqual(['[liblzma.so.5.4.1+0x6340]', '[other+0x2340]']);
  });

  test('by its address in generated code, also if another process has a file there', async () => {
    const mappings = mapping(11, 0x7f0000010000, LIB) + mapping(12, 0x7f0000010000, '//anon');
    expect(await names(mappings + call(12, 0x7f0000012340, ' (/tmp/perf-12.map)') + call(11, 0x7f0000099990))).toEqual([
      '[unknown 0x7f0000012340]',
      '[unknown 0x7f0000099990]',
    ]);
  });

  test('by the mappings of the parent after a fork', async () => {
    const fork = '12 [000] 4.000000000: PERF_RECORD_FORK(12:12):(11:11)\n';
    expect(await names(mapping(11, 0x7f0000010000, LIB) + fork + call(12, 0x7f0000012340))).toEqual([
      '[liblzma.so.5.4.1+0x6340]',
    ]);
  });
});

test('functions with one name in two files are two symbols, and one in folded lines', async () => {
  const at = (file: string, address: number) => call(11, address).replaceAll('[unknown]', `init+0x0 (${file})`);
  const text = `${at('/a', 0x7f0000010000)}${at('/b', 0x7f0000020000).replaceAll('5.0000110', '5.0000120')}`
    .replaceAll('0 init+0x0 (/a) => 401000', '0 [unknown] => 401000')
    .replaceAll('0 init+0x0 (/b) => 401000', '0 [unknown] => 401000');
  const profile = await analyzeText(text);
  const used = new Set(profile.threads.flatMap(({ tree }) => [...tree.symbol.subarray(1)]));
  const files = [...used].filter((row) => profile.symbols.name[row] === 'init').map((row) => profile.symbols.dso[row]);
  expect(new Set(files).size).toBe(2);
  expect(fold(profile).match(/^main;init /gm)).toHaveLength(1);
});

test('nameless functions count as code without a symbol in colors, sums and the profile file', async () => {
  const profile = await analyzeText(mapping(11, 0x7f0000010000, LIB) + call(11, 0x7f0000012340));
  const row = profile.symbols.name.indexOf('[liblzma.so.5.4.1+0x6340]');
  expect(familyOf(row, profile.symbols)).toBe('unknown');
  expect(profile.quality.unknownNs).toBe(30);
  const written = [...renderJson(profile)].join('');
  const { symbols } = JSON.parse(written);
  const place = symbols.name.indexOf('[liblzma.so.5.4.1+0x6340]');
  expect([symbols.kind[place], symbols.dsoName[symbols.dso[place]]]).toEqual(['unknown', LIB]);
});

test('[unknown] selects all nameless functions, a name one of them', async () => {
  const text = `${mapping(11, 0x7f0000010000, LIB)}${call(11, 0x7f0000012340)}${call(12, 0x7f0000034560)}`;
  const inside = async (root: string) => [...renderFolded(await analyze([inputOf(text)], { root }))];
  expect(await inside('[unknown]')).toEqual(['[liblzma.so.5.4.1+0x6340] 30\n', '[unknown 0x7f0000034560] 30\n']);
  expect(await inside('[liblzma.so.5.4.1+0x6340]')).toEqual(['[liblzma.so.5.4.1+0x6340] 30\n']);
  await expect(inside('[liblzma.so')).rejects.toMatchObject({
    code: 'NO_SUCH_FUNCTION',
    hint: expect.stringContaining('[liblzma.so.5.4.1+0x6340]'),
  });
});

test('a nameless function at an address of the kernel is the kernel’s', async () => {
  const at = (offset: number) => `${(0xffffffffc0301230n + BigInt(offset)).toString(16)} [unknown]`;
  const text = call(11, 0x7f0000012340)
    .replaceAll('7f0000012340 [unknown]', at(0))
    .replaceAll('7f0000012370 [unknown]', at(0x30));
  expect(await names(text)).toEqual(['[kernel 0xffffffffc0301230]']);
  const { symbols } = await analyzeText(text);
  expect(symbols.dsoName).toEqual([UNMAPPED_KERNEL]);
  expect(shortFileName(UNMAPPED_KERNEL)).toBe('kernel'); // the library that all of the kernel is
});
