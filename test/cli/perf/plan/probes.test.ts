/**
 * Which probes are added for names of functions of C++, Go and C.
 */
import { rename } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { type Directory, test } from '../../../helpers/cli/run-cli.js';
import { planRecord, record } from '../../../helpers/perf/record-runs.js';
import { program, type SymbolParts, TEXT_ADDRESS, TEXT_OFFSET } from '../../../symbols/elf-builder.js';

const NAMES: Readonly<Record<string, number>> = {
  plain: 0x10,
  _ZN2ns5Queue4pushEP3Job: 0x40,
  _ZN2ns5Queue4pushEi: 0x80,
  _ZNK2ns5Queue4sizeEv: 0xc0,
  _ZN2ns5twiceIiEET_S1_: 0x100,
  _ZN2nslsERNS_5QueueEi: 0x140,
  _ZN12_GLOBAL__N_15drainEv: 0x180,
  'main.(*Server).handle': 0x1c0,
  _ZN2ns5Queue3popEv: 0x200,
  '_ZN2ns5Queue3popEv.cold': 0x280,
  _ZN2ns5Queue4tailEv: 0x2c0,
  torn: 0x2e0,
  marked: 0x2f0,
};
/** pop: test, jump to a return, jump to the cold part, return; return. */
const POP = '85ff 7508 0f8576000000 c3 90 c3'.replaceAll(' ', '');
const COLD = 'b8010000 00c3'.replaceAll(' ', '');
/** tail: a jump to pop. */
const TAIL = 'e93bffffff';
/** torn: a jump into an instruction, so that some of it is data, or another function's. */
const TORN = 'eb01 b8c3c3c3c3'.replaceAll(' ', '');
/** marked: endbr64, push, pop, return. */
const MARKED = 'f30f1efa5058c3';
const CODE: Readonly<Record<string, string>> = {
  _ZN2ns5Queue3popEv: POP,
  '_ZN2ns5Queue3popEv.cold': COLD,
  _ZN2ns5Queue4tailEv: TAIL,
  torn: TORN,
  marked: MARKED,
};

async function binary(dir: Directory, names: readonly string[], sections: readonly string[] = []): Promise<void> {
  const symbols = names.map((name): SymbolParts => {
    const at = NAMES[name] ?? 0x300;
    return { name, value: TEXT_ADDRESS + at, size: CODE[name] === undefined ? 16 : CODE[name].length / 2 };
  });
  const more = sections.map((name) => ({ name, bytes: new Uint8Array(16) }));
  const bytes = program({ symbols, more });
  for (const name of names) bytes.set(Buffer.from(CODE[name] ?? '', 'hex'), TEXT_OFFSET + (NAMES[name] ?? 0x300));
  await dir.write('server', bytes);
}

const CPP = Object.keys(NAMES).filter((name) => !name.startsWith('main.'));
const ARGS = ['-p', '1', '-t', '10ms'];

/** Returns what a dry run adds, or how it fails. */
async function planned(dir: Directory, probe: string) {
  const { exitCode, stdout, stderr } = await planRecord(dir, ['--dry-run', ...ARGS, '--probe', probe]);
  const lines = stdout.split('\n').slice(0, -3);
  return { exitCode, added: lines.map((line) => line.replace(/^.*--add=ptflame:|'$/g, '')), stderr };
}

describe.concurrent('a function is found', () => {
  test.for([
    ['plain job=%di', 'x=plain job=%di'],
    ['plain%return v=$retval', 'x=plain%return v=$retval'],
    ['_ZN2ns5Queue4pushEP3Job', 'x=0x1040'],
    ['_ZN2ns5Queue4pushEP3Job+4 job=%di', 'x=0x1044 job=%di'],
    ['push(Job*) job=%di id=+0(%di):s64', 'x=0x1040 job=%di id=+0(%di):s64'],
    ['Queue::push( int )', 'x=0x1080'],
    ['size', 'x=0x10c0'],
    ['Queue::size() const n=%ax', 'x=0x10c0 n=%ax'],
    ['twice', 'x=0x1100'],
    ['ns::twice<int>', 'x=0x1100'],
    ['twice<int>(int)', 'x=0x1100'],
    ['ns::operator<<', 'x=0x1140'],
    ['operator<<(ns::Queue&, int)+0x4 q=%di', 'x=0x1144 q=%di'],
    ['(anonymous namespace)::drain', 'x=0x1180'],
    ['drain job', 'x=_ZN12_GLOBAL__N_15drainEv job'],
    ['inlined', 'x=inlined'],
    ['plain@server.c:3', 'must be NAME=FILE:SYMBOL'],
    ['ns::', 'has no function ns::'],
    ['push(Job*', 'must be NAME=FILE:SYMBOL'],
    ['Queue::pusj', 'did you mean ns::Queue::push?'],
    ['ush(int)', 'did you mean ns::Queue::push?'],
  ] as const)('%s', async ([probe, expected], { dir }) => {
    await binary(dir, CPP);
    const { added, stderr } = await planned(dir, `x=./server:${probe}`);
    if (added.length > 0) expect(added).toEqual([expected]);
    else expect(stderr).toContain(expected);
  });

  test('at each of its places, if others have the same symbol', async ({ dir }) => {
    await binary(dir, ['_ZN12_GLOBAL__N_15drainEv']);
    const bytes = program({
      symbols: [0x40, 0x80].map((at) => ({ name: '_ZL5drainv', value: TEXT_ADDRESS + at, size: 4, binding: 'local' })),
    });
    await dir.write('server', bytes);
    expect((await planned(dir, 'x=./server:drain a=%di')).added).toEqual(['x=0x1040 a=%di', 'x_1=0x1080 a=%di']);
  });

  test('with choices, if several have the name', async ({ dir }) => {
    await binary(dir, CPP);
    const { exitCode, stderr } = await planned(dir, 'x=./server:Queue::push');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/2 functions of \.\/server are Queue::push\n {2}choose one of these, by more of its name/);
    expect(stderr).toContain('  | ns::Queue::push(Job*) (_ZN2ns5Queue4pushEP3Job)\n  | ns::Queue::push(int) (_ZN2ns5');
  });

  test('with ten choices of many', async ({ dir }) => {
    const numbers = Array.from({ length: 25 }, (_, n) => n);
    await dir.write(
      'server',
      program({
        symbols: numbers.map((n) => {
          const name = `_ZN${n < 10 ? 2 : 3}C${n}4pushEv`;
          return { name, value: TEXT_ADDRESS + 16 * n, size: 8 };
        }),
      }),
    );
    const { stderr } = await planned(dir, 'x=./server:push');
    expect(stderr.match(/^ {2}\| /gm)).toHaveLength(11);
    expect(stderr).toMatch(/\n {2}\| C9::push\(\) \(_ZN2C94pushEv\)\n {2}\| and 15 more\n/);
  });

  test('with names like it, where perf does not know it, either', async ({ dir }) => {
    await binary(dir, CPP);
    const { stderr } = await record(dir, [...ARGS, '--probe', 'x=./server:plian'], { fake: { PROBES: '0' } });
    expect(stderr).toMatch(/perf cannot add the probe x=plian\n {2}did you mean plain\?/);
  });

  test('and probed there, or not at all', async ({ dir }) => {
    await binary(dir, CPP);
    const args = [...ARGS, '--no-trace', '--probe', 'x=./server:Queue::size'];
    expect((await record(dir, args)).exitCode).toBe(0);
    expect(await dir.read('root/sys/kernel/tracing/uprobe_events')).toMatch(/\/x \.\/server:0x0*10c0 /);
    const { exitCode, stderr } = await record(dir, args, { fake: { OFFSET: '4010c0' } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('probe x at 0x4010c0') });
  });
});

describe.concurrent('a probe of returns', () => {
  test('by the kernel is refused for Go', async ({ dir }) => {
    for (const section of ['.go.buildinfo', '.gopclntab', '.data.rel.ro.gopclntab']) {
      await binary(dir, ['main.(*Server).handle', '_ZN2ns5Queue3popEv'], [section]);
      const { exitCode, stderr } = await planned(dir, 'x=./server:(*Server).handle%return v=$retval');
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('kills Go programs') });
      expect(stderr).toContain(`--probe 'x=./server:(*Server).handle%returns v=%ax'`);
    }
  });

  test.for([
    ['C++', ['plain', '_ZN2ns5Queue3popEv'], [], true],
    ['C that calls C++', ['plain', '__cxa_throw'], [], true],
    ['a stripped binary with exceptions', [], ['.gcc_except_table'], true],
    ['C', ['plain'], [], false],
    ['C that cleans up when threads are cancelled', ['plain'], ['.gcc_except_table'], false],
  ] as const)('by the kernel: %s', async ([, names, sections, isDangerous], { dir }) => {
    await binary(dir, names, sections);
    const { exitCode, added, stderr } = await planned(dir, 'x=./server:plain%return v=$retval');
    expect({ exitCode, added }).toEqual({ exitCode: 0, added: ['x=plain%return v=$retval'] });
    expect(stderr.includes('kills the program if an exception')).toBe(isDangerous);
    expect(stderr.includes(`--probe 'x=./server:plain%returns v=%ax'`)).toBe(isDangerous);
  });

  test('at each return instruction, also in the cold part, is one event', async ({ dir }) => {
    await binary(dir, CPP);
    const { exitCode, stdout, stderr } = await planRecord(dir, [
      ...['--dry-run', ...ARGS, '--probe', 'x=./server:pop%returns v=$retval'],
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('warning') });
    const lines = ['120a', '120c', '1285'].map((at) => `'p:ptflame/x ${dir.file('server')}:0x${at} v=%ax'`);
    expect(stdout.split('\n')[0]).toMatch(/^sh -c 'printf "%s\\n" "\$@" >> "\$0"' \S+\/uprobe_events /);
    expect(stdout.split('\n')[0]?.endsWith(` ${lines.join(' ')}`)).toBe(true);
  });

  test('and at the entry, behind what marks it: calls, with the stack pointer', async ({ dir }) => {
    await binary(dir, CPP);
    const { stdout } = await planRecord(dir, [
      ...['--dry-run', ...ARGS, '--probe', 'x=./server:pop%calls q=%di', '--probe', 'y=./server:marked%calls'],
    ]);
    const added = [...stdout.matchAll(/'p:ptflame\/(\S+) \S+:0x([0-9a-f]+) ([^']*)'/g)].map((each) => each.slice(1));
    expect(added).toEqual([
      ['x', '1200', 'sp=%sp q=%di'],
      ...['120a', '120c', '1285'].map((at) => ['x__return', at, 'sp=%sp value=%ax']),
      ['y', '12f4', 'sp=%sp'],
      ['y__return', '12f6', 'sp=%sp value=%ax'],
    ]);
  });

  test.for([
    ['tail%returns', /tail has no return instruction\n {2}it goes on in ns::Queue::pop$/m],
    ['pop+4%returns', /%returns takes registers and memory only/],
    ['pop%returns job', /%returns takes registers and memory only/],
    ['nothing%returns', /has no function nothing/],
    ['torn%returns', /the code of torn cannot be read/],
  ] as const)('%s is refused', async ([probe, message], { dir }) => {
    await binary(dir, CPP);
    const { stderr } = await planned(dir, `x=./server:${probe}`);
    expect(stderr).toMatch(message);
  });

  test('of a file with a blank in its name is refused, as the kernel takes none', async ({ dir }) => {
    await binary(dir, CPP);
    await rename(dir.file('server'), dir.file('a server'));
    const { stderr } = await planned(dir, 'x=./a server:pop%returns');
    expect(stderr).toMatch(/the kernel takes no blanks in \.\/a server\n {2}link it under another name$/m);
  });
});
