/**
 * `ptflame diff`: outputs, parts of a trace, and limits for CI.
 */
import { describe, expect } from 'vitest';
import { parseLimit } from '../../../../cli/commands/diff.js';
import { Diff } from '../../../../src/answers.js';
import { expectRefusal, fixturePath, ptflame, test } from '../../../helpers/cli/run-cli.js';
import { traceOf } from '../../../helpers/traces/trace-of.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');

/** Main calls f for each of these durations, and g for twice as long in all. */
function calls(durations: readonly number[], tid = 1, gNs = 20): string {
  const lines: string[] = [];
  let ns = 100;
  for (const took of durations) {
    lines.push(`${tid}/${ns} call main f`, `${tid}/${ns + took} return f main`);
    ns += took + 10;
  }
  lines.push(`${tid}/${ns} call main g`, `${tid}/${ns + gNs} return g main`);
  return traceOf(lines.join('\n'));
}

const SPREAD = [90, 100, 110, 95, 105];
const OLD = calls(SPREAD);
const SLOWER = calls(SPREAD.map((ns) => 3 * ns));
const NOISY = calls([90, 100, 110, 95, 108]);

async function answerOf(args: readonly string[]): Promise<Diff> {
  const { exitCode, stdout, stderr } = await ptflame(['diff', ...args, '--json', '--quiet']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const answer = JSON.parse(stdout);
  expect(Diff.parse(answer)).toEqual(answer);
  return answer;
}

const rowOf = ({ functions }: Diff, wanted: string) => functions.find(({ name }) => name === wanted);

describe.concurrent('outputs', () => {
  test('are files of all formats; the table is not printed then', async ({ dir }) => {
    const [before, after] = [await dir.write('old.txt', OLD), await dir.write('new.txt', SLOWER)];
    const names = ['d.svg', 'd.html', 'd.folded', 'd.json'];
    const { exitCode, stdout, stderr } = await ptflame([
      'diff',
      before,
      after,
      ...names.flatMap((name) => ['-o', dir.file(name)]),
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr).toMatch(/wrote .*d\.svg/);
    const [svg, html, folded, json] = await Promise.all(names.map((name) => dir.read(name)));
    expect(svg).toContain('<text id="title" x="14" y="30">old.txt → new.txt</text>');
    expect(svg).toContain('f: 500 ns → 1.5 µs +1 µs, +200 %');
    expect(html).toMatch(/^<!doctype html>/);
    expect(folded).toBe('main 50 50\nmain;f 500 1500\nmain;g 20 20\n');
    expect(Diff.parse(JSON.parse(json as string)).changed).toBe(2);
  });

  test('go to standard output with --format', async ({ dir }) => {
    const trace = await dir.write('old.txt', OLD);
    const { stdout } = await ptflame(['diff', trace, trace, '--format', 'folded', '-q']);
    expect(stdout).toBe('main 50 50\nmain;f 500 500\nmain;g 20 20\n');
  });

  test('of a trace and itself say that nothing differs', async () => {
    const { stdout } = await ptflame(['diff', DEMO, DEMO, '-q']);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^no differences in \d+ functions$/);
  });

  test('mark noise, and what is new', async ({ dir }) => {
    const after = await dir.write('new.txt', `${NOISY}${traceOf('2000 call main h\n2050 return h main')}`);
    const { stdout } = await ptflame(['diff', await dir.write('old.txt', OLD), after], {
      env: { COLUMNS: '200' },
    });
    expect(stdout).toMatch(/~\+3 ns.* f$/m);
    expect(stdout).toMatch(/ \[new\] h$/m);
    expect(stdout).toContain('~ within noise');
  });
});

test.concurrent('a profile and the trace that it is of do not differ', async ({ dir }) => {
  const json = dir.file('base.json');
  expect((await ptflame(['render', DEMO, '-o', json, '-q'])).exitCode).toBe(0);
  const imported = dir.file('base.ptf');
  expect((await ptflame(['import', DEMO, '-o', imported, '-q'])).exitCode).toBe(0);
  for (const other of [DEMO, imported]) expect((await answerOf([json, other])).changed).toBe(0);
});

describe.concurrent('parts of a trace', () => {
  const TWO = calls(SPREAD, 1) + calls([200, 210], 2);

  test('threads', async ({ dir }) => {
    const trace = await dir.write('t.txt', TWO);
    const row = rowOf(await answerOf([trace, '--before', 'tid=1', '--after', 'tid=2']), 'f');
    expect(row?.avgNs).toEqual({ before: 100, after: 205 });
    expect(row?.calls).toEqual({ before: 5, after: 2 });
  });

  test('windows', async ({ dir }) => {
    const trace = await dir.write('t.txt', OLD);
    const windows = ['--before', 'window=+0,+100ns', '--after', 'window=+100ns,'];
    const diff = await answerOf([trace, ...windows]);
    expect(rowOf(diff, 'f')?.totalNs).toEqual({ before: 90, after: 410 });
  });

  test('calls by duration, and an option of both sides', async ({ dir }) => {
    const trace = await dir.write('t.txt', TWO);
    const sides = ['--before', 'inside=f#,150ns', '--after', 'inside=f#150ns,', '--root', 'f', '--per', 'call'];
    const diff = await answerOf([trace, ...sides]);
    expect(diff.functions.map(({ name }) => name)).toEqual(['f']);
    expect(rowOf(diff, 'f')?.totalNs).toEqual({ before: 100, after: 205 });
    expect(rowOf(diff, 'f')?.calls).toEqual({ before: 1, after: 1 });
  });

  test('replaces the option for one side only', async ({ dir }) => {
    const trace = await dir.write('t.txt', TWO);
    const diff = await answerOf([trace, '--tid', '1', '--after', 'tid=2']);
    expect(rowOf(diff, 'f')?.calls).toEqual({ before: 5, after: 2 });
  });
});

test.concurrent('--per second divides by the length of each recording', async ({ dir }) => {
  const [before, after] = [await dir.write('old.txt', OLD), await dir.write('new.txt', SLOWER)];
  const diff = await answerOf([before, after, '--per', 'second']);
  expect(diff.per).toBe('second');
  expect(rowOf(diff, 'f')?.calls.before).toBeCloseTo(5 / (diff.before.durationNs / 1e9));
  expect(rowOf(diff, 'f')?.avgNs).toEqual({ before: 100, after: 300 });
});

test.concurrent('an option of two words selects on one side, too', async () => {
  const { stderr } = await ptflame(['diff', DEMO, '--before', 'exclude-comm=.']);
  expect(stderr).toMatch(/^ptflame: --before exclude-comm=\.: no thread of the trace is selected\n/);
});

test('an option that selects nothing is named', async ({ dir }) => {
  const { exitCode, stderr } = await ptflame(['diff', await dir.write('t.txt', OLD), '--before', 'tid=99']);
  expect(exitCode).not.toBe(0);
  expect(stderr).toMatch(/^ptflame: --before tid=99: no thread of the trace is selected\n {2}change --before; /);
});

describe.concurrent('--fail-above', () => {
  const run = async (
    dir: { write: (name: string, text: string) => Promise<string> },
    after: string,
    ...args: string[]
  ) => ptflame(['diff', await dir.write('old.txt', OLD), await dir.write('new.txt', after), ...args]);

  test.for([
    ['f avg +20%', /^ptflame: f: avg 100 ns → 300 ns, \+200 %, is above \+20 %$/m],
    ['f avg +150ns', /f: avg 100 ns → 300 ns, \+200 %, is above \+150 ns/],
    ['f total +0.5us', /f: total 500 ns → 1.5 µs, \+200 %, is above \+500 ns/],
    ['/^[fg]$/ self +100%', /f: self 500 ns → 1.5 µs/],
  ] as const)('%s ends with 3 and names the function', async ([limit, message], { dir }) => {
    const { exitCode, stderr, stdout } = await run(dir, SLOWER, '--fail-above', limit);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(message);
    expect(stdout).toContain('Δ self');
  });

  test('accepts what is not above its limit, and names each that is', async ({ dir }) => {
    const limits = (...texts: string[]) => texts.flatMap((text) => ['--fail-above', text]);
    expect((await run(dir, SLOWER, ...limits('f avg +200%', 'g total +0%', 'f calls +0'))).exitCode).toBe(0);
    const { stderr } = await run(dir, SLOWER, ...limits('f avg +20%', 'main total +5%'), '-q');
    expect(stderr).toMatch(/^f: avg .*\nmain: total .*\nptflame: 2 increases are above their limits$/m);
  });

  test('calls have no noise', async ({ dir }) => {
    expect((await run(dir, calls([...SPREAD, 100]), '--fail-above', 'f calls +10%')).exitCode).toBe(3);
    expect((await run(dir, calls([...SPREAD, 100]), '--fail-above', 'f calls +1')).exitCode).toBe(0);
  });

  test('writes all output before it fails', async ({ dir }) => {
    const { exitCode } = await run(dir, SLOWER, '--fail-above', 'f avg +20%', '-o', dir.file('d.svg'), '--json');
    expect(exitCode).toBe(3);
    expect(await dir.names()).toContain('d.svg');
  });

  test('does not fail within noise, and says so; --strict does', async ({ dir }) => {
    const { exitCode, stderr } = await run(dir, NOISY, '--fail-above', 'f avg +0.1%');
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /note: f: avg 100 ns → 101 ns, \+0\.6 %, is above \+0\.1 %, but within noise: with 5 calls before and 5 after, differences up to [\d.]+ ns may be chance; not a failure \(--strict/,
    );
    expect((await run(dir, NOISY, '--fail-above', 'f avg +0.1%', '--strict', '-q')).exitCode).toBe(3);
  });

  test('says what it checked, on how many functions, and that they passed', async ({ dir }) => {
    const { stderr } = await run(dir, SLOWER, '--fail-above', '/^[fg]$/ total +900%', '--fail-above', '/./ avg +5us');
    expect(stderr).toMatch(/^passed: \/\^\[fg\]\$\/ total \+900 %, checked on 2 functions$/m);
    expect(stderr).toMatch(
      /^passed: \/\.\/ avg \+5 µs, checked on 2 functions; 1 not compared: a side has no complete call$/m,
    );
  });

  test('says which functions cannot fail a limit of p99, for lack of calls', async ({ dir }) => {
    const few = await run(dir, SLOWER, '--fail-above', '/^[fg]$/ p99 +1%');
    expect(few.exitCode).toBe(0);
    expect(few.stderr).toMatch(
      /note: f: p99 .* but within noise: 5 calls before and 5 after, too few before to bound p99 \(it takes some 900\); not/,
    );
    expect(few.stderr).toMatch(
      /^passed: .* p99 \+1 %, checked on 2 functions; all cannot fail: too few calls for p99 \(it takes some 900\); --strict judges them$/m,
    );
    const strict = await run(dir, OLD, '--fail-above', '/^[fg]$/ p99 +1%', '--strict');
    expect(strict.stderr).toMatch(/^passed: .* checked on 2 functions$/m);
  });

  test('with enough calls, p99 fails, or the note has its bounds', async ({ dir }) => {
    const many = (offset: number) =>
      calls(Array.from({ length: 1000 }, (_, call) => 100 + offset + 5 * Math.max(0, call - 980)));
    const gate = async (offset: number) => {
      const files = [await dir.write('a.txt', many(0)), await dir.write('b.txt', many(offset))];
      return await ptflame(['diff', ...files, '--fail-above', 'f p99 +1%']);
    };
    expect(await gate(900)).toMatchObject({ exitCode: 3, stderr: expect.not.stringContaining('cannot fail') });
    const { exitCode, stderr } = await gate(20);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /with 1,000 calls before and 1,000 after, p99 may be up to \d+ ns before, and down to \d+ ns after; not/,
    );
    expect(stderr).toMatch(/^passed: f p99 \+1 %, checked on 1 function$/m);
  });

  test('with --quiet, says only why it fails', async ({ dir }) => {
    const noisy = await run(dir, NOISY, '--fail-above', 'f avg +0.1%', '-q');
    expect(noisy).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.not.stringContaining('noise') });
    const failed = await run(dir, `${SLOWER}\n`, '--fail-above', 'f avg +20%', '-q');
    expect(failed).toMatchObject({ exitCode: 3, stdout: expect.not.stringContaining('without differences') });
    expect(failed.stderr).toMatch(
      /^ptflame: f: avg 100 ns → 300 ns, \+200 %, is above \+20 %\n {2}see what changed: [^\n]*\n$/,
    );
  });

  test.for([
    ['nosuch avg +1%', /no function called nosuch/, /report --match/],
    ['main avg +1%', /BEFORE has no complete call of main: its avg cannot be compared/, /leave out its limit/],
  ] as const)('%s is refused', async ([limit, message, remedy], { dir }) => {
    expectRefusal(await run(dir, SLOWER, '--fail-above', limit, '-q', '-o', dir.file('x.folded')), 1, message, remedy);
  });

  test('refuses a function that is gone: it may have another name', async ({ dir }) => {
    const gone = SLOWER.replaceAll(/\bf\+/g, 'f2+');
    expectRefusal(
      await run(dir, gone, '--fail-above', 'f total +1%', '-q', '-o', dir.file('x.folded')),
      1,
      /AFTER has no function called f/,
      /other name/,
    );
  });
});

test('limits are parsed from their end: names may have spaces', () => {
  expect(parseLimit('operator new avg +20%')).toEqual({
    functions: 'operator new',
    number: 'avg',
    increase: 0.2,
    isShare: true,
  });
  expect(parseLimit('f calls +3')).toEqual({ functions: 'f', number: 'calls', increase: 3, isShare: false });
  expect(parseLimit('/^a/ p99 +5us')).toEqual({ functions: /^a/u, number: 'p99', increase: 5000, isShare: false });
  for (const text of ['f avg 20%', 'f avg +20', 'f calls +5us', 'f max +1%', 'avg +20%', 'f avg +x%'])
    expect(parseLimit(text), text).toBeNull();
});
