/**
 * What counts as damage by a probe, and what stays a loss: the smallest traces of a hit.
 */
import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/index.js';
import { analyze } from '../../src/pipeline/analyze.js';
import { fold, inputOf } from '../helpers/traces/load.js';
import { recordingOf } from '../helpers/traces/probe-hits.js';

const NAMELESS = 0x5000;
const STARTS = { main: 0x1000, f: 0x2000, next: 0x2030, g: 0x3000, h: 0x4000 };

/** `f+8` as perf prints it. */
function location(text: string): string {
  if (text === '?') return '0 [unknown]';
  const [name = '', offset = 0] = text.split('+');
  const nameless = (NAMELESS + Number(offset)).toString(16);
  if (name === 'nameless') return `${nameless} [unknown] (/opt/x+0x${nameless})`;
  if (name === 'fileless') return `${nameless} [unknown]`;
  return `${(STARTS[name as keyof typeof STARTS] + Number(offset)).toString(16)} ${name}+0x${Number(offset).toString(16)}`;
}

/** Expands lines: `TIME flags FROM TO`, `TIME error CODE AT`, or `TIME PERF_RECORD…`. */
function textOf(lines: readonly string[]): string {
  const expanded = lines.map((line) => {
    const [time = '', ...words] = line.trim().split(/\s+/);
    const at = `12345.${time.padStart(9, '0')}`;
    if (words[0]?.startsWith('PERF')) return `1 [000] ${at}: ${words.join(' ')}`;
    const [first, second] = words.slice(-2) as [string, string];
    if (words[0] === 'error') {
      const ip = location(second).split(' ')[0];
      return ` instruction trace error type 1 time ${at} cpu 0 pid 1 tid 1 ip 0x${ip} code ${first}: Error`;
    }
    return `1 [000] ${at}:   ${words.slice(0, -2).join(' ')}   ${location(first)} => ${location(second)}`;
  });
  return `${expanded.join('\n')}\n`;
}

/** Analyzes lines with a probe that was hit at 1 µs, or at other times. */
function profileOf(lines: readonly string[], at = 'f', timesNs = [1000]): Promise<Profile> {
  const address = Number.parseInt(location(at), 16);
  const hits = recordingOf(timesNs.map((timeNs) => ({ tid: 1, timeNs, address })));
  return analyze([inputOf(textOf(lines)), hits], { extend: false });
}

/** Returns folded stacks, and the numbers of gaps and of mended hits. */
async function withHit(lines: readonly string[], at = 'f'): Promise<{ trees: string[]; gaps: number; mended: number }> {
  const profile = await profileOf(lines, at);
  const { gaps, mendedHits = 0 } = profile.quality;
  return { trees: fold(profile, { annotate: true }).trimEnd().split('\n'), gaps: gaps.length, mended: mendedHits };
}

const BEFORE = ['100 call main+4 h', '200 return h+4 main+9'];
const AFTER = ['1700 return f+20 main+14', '1800 call main+20 h', '1900 return h+4 main+25'];
const TREES = [
  'main:1(1) 300',
  'main:1(1);f:1,avg:1300 300',
  'main:1(1);f:1,avg:1300;[untraced]:1,avg:800 800',
  'main:1(1);f:1,avg:1300;g:1,avg:200 200',
  'main:1(1);h:2,avg:100 200',
];
const MENDED = { trees: TREES, gaps: 0, mended: 1 };
/** The trace restarts, and now the call is real. */
const RESTART = ['1300 tr strt ? f+1', '1400 call f+8 g', '1600 return g+4 f+13'];

const hitIn = (...lines: string[]) => [...BEFORE, ...lines, ...AFTER];

describe('a hit is mended', () => {
  test('if an error ends the phantoms', async () => {
    const lines = hitIn('400 call main+9 f', '500 call f+8 g', '500 error 6 g+2', ...RESTART);
    expect(await withHit(lines)).toEqual(MENDED);
  });

  test('if there is no phantom', async () => {
    expect(await withHit(hitIn('400 call main+9 f', '500 error 6 f+2', ...RESTART))).toEqual(MENDED);
  });

  test('if the stop is taken for one of another instruction', async () => {
    for (const end of ['tr end return g+4 ?', 'tr end jmp g+4 ?', 'tr end call g+4 ?', 'tr end syscall g+4 ?']) {
      const lines = hitIn('400 call main+9 f', '500 call f+8 g', `500 ${end}`, ...RESTART);
      expect(await withHit(lines)).toEqual(MENDED);
    }
  });

  test('in the middle of a function, after a hidden jump back', async () => {
    const lines = hitIn(
      ...['400 call main+9 f', '450 call f+8 g', '450 return g+4 f+13', '500 error 6 f+6'],
      ...['1300 tr strt ? f+5', '1400 call f+8 g', '1600 return g+4 f+13'],
    );
    const trees = TREES.map((line) => line.replace('g:1,avg:200', 'g:2,avg:100'));
    expect(await withHit(lines, 'f+4')).toEqual({ ...MENDED, trees });
  });

  test('before a hidden jump to another function', async () => {
    const lines = hitIn(
      ...['400 call main+9 f', '450 call f+8 g', '450 return g+4 f+13', '500 error 6 h+2'],
      ...['1300 tr strt ? f+5', '1400 call f+8 g', '1600 return g+4 f+13'],
    );
    expect(await withHit(lines, 'f+4')).toMatchObject({ gaps: 0, mended: 1 });
  });

  test('at the target of a call, even if it is unknown where the function begins', async () => {
    for (const name of ['nameless', 'fileless']) {
      const lines = hitIn(
        ...[`400 call main+9 ${name}`, `500 error 6 ${name}+6`, `1300 tr strt ? ${name}+4`],
        `1600 return ${name}+8 main+14`,
      );
      expect(await withHit(lines, name)).toMatchObject({ gaps: 0, mended: 1 });
    }
  });

  test('after a hidden jump to the function', async () => {
    const { gaps, mended, trees } = await withHit(hitIn('400 call main+9 g', '500 error 6 f+2', ...RESTART));
    expect({ gaps, mended }).toEqual({ gaps: 0, mended: 1 });
    expect(trees.some((line) => line.includes('g:1,avg:1300;f:'))).toBe(true);
  });

  test('if the thread is switched out meanwhile', async () => {
    const lines = hitIn(
      ...['400 call main+9 f', '500 call f+8 g', '500 error 6 g+2'],
      ...['1100 PERF_RECORD_SWITCH OUT', '1200 PERF_RECORD_SWITCH IN', ...RESTART],
    );
    const { gaps, mended, trees } = await withHit(lines);
    expect({ gaps, mended }).toEqual({ gaps: 0, mended: 1 });
    expect(trees).toContain('main:1(1);f:1,avg:1300;[untraced]:1,avg:800 700');
    expect(trees).toContain('main:1(1);f:1,avg:1300;[untraced]:1,avg:800;[off-cpu]:1,avg:100 100');
  });

  test('if an interrupt follows before the phantoms are repeated', async () => {
    const lines = hitIn(
      ...['400 call main+9 f', '500 call f+8 g', '500 error 6 g+2', '1300 tr strt ? f+1'],
      ...['1320 tr end async f+8 ?', '1350 tr strt ? f+8', ...RESTART.slice(1)],
    );
    expect(await withHit(lines)).toMatchObject({ gaps: 0, mended: 1 });
  });
});

describe('a hit is not mended', () => {
  const cases: Record<string, readonly [lines: string[], at?: string]> = {
    'if data was lost': [['400 call main+9 f', '500 error 8 g+2', ...RESTART]],
    'if there are two errors': [['400 call main+9 f', '450 error 6 g+2', '500 error 6 g+2', ...RESTART]],
    'if the trace stopped before the error': [
      ['400 call main+9 f', '450 tr end return f+4 ?', '500 error 6 g+2', ...RESTART],
    ],
    'if what seem to be phantoms is not repeated': [
      ['400 call main+9 f', '450 call f+4 h', '500 error 6 h+2', ...RESTART],
    ],
    'if what seem to be phantoms has another target': [
      ['400 call main+9 f', '450 call f+8 h', '500 error 6 h+2', ...RESTART],
    ],
    'if it is unknown where the function begins': [
      [
        ...['400 call main+9 nameless', '500 error 6 nameless+6', '1300 tr strt ? nameless+5'],
        '1600 return nameless+8 main+14',
      ],
      'nameless+4',
    ],
    'if the function of the probe did not run': [['400 call main+9 h', '500 error 6 h+2', ...RESTART]],
    'if the trace restarts before the probe': [['400 call main+9 f', '500 error 6 g+2', ...RESTART], 'f+1'],
    'if the trace restarts far after the probe': [
      ['400 call main+9 f', '500 error 6 g+2', '1300 tr strt ? f+16', ...RESTART.slice(1)],
    ],
    'if the trace restarts in the next function': [
      ['400 call main+9 f+47', '500 error 6 g+2', '1300 tr strt ? next', '1400 call next+8 g'],
      'f+47',
    ],
    'if two events may be the last one': [
      ['400 call main+9 f+6', '410 call f+8 f+6', '500 error 6 f+7', '1300 tr strt ? f+5', '1400 call f+8 f+6'],
      'f+4',
    ],
  };
  for (const [title, [lines, at]] of Object.entries(cases))
    test(title, async () => {
      const { gaps, mended } = await withHit(hitIn(...lines), at);
      expect(mended).toBe(0);
      expect(gaps).toBeGreaterThan(0);
    });

  test('if it did no damage', async () => {
    for (const end of ['tr end async f+1 ?', 'tr end syscall f ?', 'tr end async f ?']) {
      const start = end.includes('syscall') ? '1300 tr strt ? f+2' : '1300 tr strt ? f+1';
      const lines = hitIn('400 call main+9 f', `500 ${end}`, start, ...RESTART.slice(1));
      expect(await withHit(lines)).toMatchObject({ gaps: 0, mended: 0 });
    }
  });
});

test('a gap after a mended hit keeps its error', async () => {
  const { quality } = await profileOf(
    hitIn(
      '400 call main+9 f',
      '500 error 6 f+2',
      '1300 tr strt ? f+1',
      '1400 call f+8 g',
      '1500 error 8 g+2',
      '1600 tr strt ? g+4',
      '1650 return g+4 f+13',
    ),
  );
  expect(quality.gaps).toMatchObject([{ cause: 'decode-error', code: 8, atNs: 1500 }]);
  expect(quality.mendedHits).toBe(1);
});

test('other errors show that code may be undecoded: then a record before the first branch is part of the recording', async () => {
  const startNs = async (error: string) => {
    const lines = ['50 PERF_RECORD_SWITCH IN', ...hitIn('400 call main+9 f', error, ...RESTART)];
    return (await profileOf(lines)).meta.startNs;
  };
  expect(await startNs('500 error 6 f+2')).toBe(100);
  expect(await startNs('500 error 3 f+2')).toBe(50);
});

test('hits of two probes at the same address are one sequence', async () => {
  const hit = (startNs: number) => [
    `${startNs + 400} call main+9 f`,
    `${startNs + 500} error 6 f+2`,
    `${startNs + 1300} tr strt ? f+1`,
    `${startNs + 1400} return f+20 main+14`,
  ];
  const lines = [...BEFORE, ...hit(0), ...hit(1_000_000)];
  const { quality } = await profileOf(lines, 'f', [1_001_000, 1000]);
  expect(quality).toMatchObject({ mendedHits: 2, gaps: [] });
});
