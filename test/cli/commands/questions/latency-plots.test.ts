/**
 * `ptflame latency --timeline` and `--heatmap`: when calls were, and how long they took.
 */
import { describe, expect } from 'vitest';
import { Latency } from '../../../../src/answers.js';
import { expectRefusal, fixturePath, ptflame, test } from '../../../helpers/cli/run-cli.js';
import { strangeTrace } from '../../../helpers/traces/strange-names.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');

async function answerOf(args: readonly string[]) {
  const { stdout } = await ptflame(['latency', ...args, '--timeline', '--json', '--quiet']);
  const answer = Latency.parse(JSON.parse(stdout));
  if (answer.overTime === undefined) throw new Error('the answer has no calls over time');
  return { ...answer, overTime: answer.overTime };
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const countOf = (text: string, part: string) => text.split(part).length - 1;

describe.concurrent('calls over time', () => {
  test.each([
    [['take', DEMO]],
    [['main', DEMO]],
    [['/./', DEMO]],
    [['take', DEMO, '--latency', '100us,']],
    [['/./', DEMO, '--window', '+300us,+900us']],
    [['/futex/', DEMO, '--inside', 'take#100us,']],
    [['/./', fixturePath('lab/overflow-and-lost.txt')]],
  ] as const)('are those of the statistics: %j', async (args) => {
    const { overTime, stats, trace } = await answerOf(args);
    const { calls, cells, callsLeftOut } = overTime;
    expect(callsLeftOut).toBe(0);
    expect([calls.length, calls.filter(({ isInferred }) => isInferred).length]).toEqual([stats.calls, stats.inferred]);
    expect([sum(cells.map((cell) => cell.calls)), sum(cells.map((cell) => cell.inferred))]).toEqual([
      stats.calls,
      stats.inferred,
    ]);
    const complete = calls.filter(({ isInferred }) => !isInferred).map(({ durationNs }) => durationNs);
    expect([sum(complete), complete[0] ?? null]).toEqual([stats.totalNs, stats.maxNs]);
    for (const { startNs } of calls) expect(startNs).toBeGreaterThanOrEqual(0);
    for (const { startNs } of calls) expect(startNs).toBeLessThanOrEqual(trace.durationNs);
    for (const { startNs, durationNs } of calls)
      expect(
        cells.some(({ column, fromNs, toNs }) => {
          const isThen = Math.min(255, Math.floor((startNs / trace.durationNs) * 256)) === column;
          return isThen && durationNs >= fromNs && durationNs < toNs;
        }),
      ).toBe(true);
  });

  test('are the slowest calls, with the same threads and times', async () => {
    const { overTime, slowest } = await answerOf(['/./', DEMO, '--slowest', '20']);
    const complete = overTime.calls.filter(({ isInferred }) => !isInferred).slice(0, 20);
    const named = ({ tid, comm, start, durationNs }: (typeof slowest | typeof complete)[number]) => {
      return { tid, comm, start, durationNs };
    };
    expect(complete.map(named)).toEqual(slowest.map(named));
  });

  test('are not in the answer unless requested', async () => {
    const { stdout } = await ptflame(['latency', 'take', DEMO, '--json', '--quiet']);
    expect(JSON.parse(stdout)).not.toHaveProperty('overTime');
  });
});

describe.concurrent('a plot in the terminal', () => {
  const plot = async (args: readonly string[], columns = '80') =>
    (await ptflame(['latency', ...args, '--quiet'], { env: { COLUMNS: columns } })).stdout;

  test('has a dot for each call, marks for the slowest, and percentiles next to the axis', async () => {
    expect(await plot(['take', DEMO, '--timeline'], '70')).toMatchInlineSnapshot(`
      "take: 9 calls over time
      a dot for each call

              │2     3    ⠐     ⠂    ⠐     ⠂    ⠐     1      ◂ max 172 µs
              │                                              ↑ p50 ≈ 170 µs
       100 µs │
              │
              │
              │
        50 µs │
              │
              │
              │
        20 µs │
              │
              │
        10 µs │
              │⠂
              │
              └┬───────────────┬───────────────┬────────────
               0               +500 µs         +1 ms
      1: 172 µs, thread 5001 threads, from 12345.680116524
      2: 172 µs, thread 5001 threads, from 12345.678909789
      3: 172 µs, thread 5001 threads, from 12345.679082223
      "
    `);
  });

  test('marks calls of unknown duration', async () => {
    expect(await plot(['/./', DEMO, '--timeline'])).toMatch(
      /≥.*\n(?:.*\n)*≥ lasted at least this long: start or end not seen\n/,
    );
  });

  test('as a heat map has counts as shades', async () => {
    const text = await plot(['/./', DEMO, '--heatmap']);
    expect(text).toContain('\nnumber of calls by time and duration\n');
    expect(text).toMatch(/\ncalls per character: · 1–\d+ {3}░ [\d–]+ {3}▒ [\d–]+ {3}▓ [\d–]+ {3}█ [\d–]+\n/);
  });

  test.each(['40', '61', '200'])('fits into %s columns', async (columns) => {
    for (const kind of ['--timeline', '--heatmap'])
      for (const line of (await plot(['/./', DEMO, kind], columns)).split('\n').filter((text) => /│|└/.test(text)))
        expect(line.length, line).toBeLessThanOrEqual(Number(columns));
  });

  test('without calls says so', async () => {
    expect(await plot(['take', DEMO, '--latency', '1s,', '--timeline'])).toBe('take: 0 calls over time\n');
  });
});

describe.concurrent('a plot as SVG', () => {
  test('has a mark for each call and is the same for any number of workers', async ({ dir }) => {
    const args = ['latency', '/./', DEMO, '--timeline', '-o'];
    await Promise.all([1, 3].map((jobs) => ptflame([...args, `${jobs}.svg`, '-j', `${jobs}`], { cwd: dir.path })));
    const svg = await dir.read('1.svg');
    expect(await dir.read('3.svg')).toBe(svg);
    const { overTime, stats } = await answerOf(['/./', DEMO]);
    expect([countOf(svg, '<circle class="dot"'), countOf(svg, '<path class="atleast"')]).toEqual([
      stats.calls - stats.inferred,
      stats.inferred,
    ]);
    expect(countOf(svg, `from ${overTime.calls[0]?.start}`)).toBeGreaterThanOrEqual(2);
    expect(svg).toMatch(/<text x="\d+" y="[\d.]+">p99 /);
  });

  test('as a heat map has each cell with its count', async ({ dir }) => {
    const run = await ptflame(['latency', '/./', DEMO, '--heatmap', '-o', 'map.svg', '--json', '-q'], {
      cwd: dir.path,
    });
    const { cells } = Latency.parse(JSON.parse(run.stdout)).overTime ?? { cells: [] };
    const svg = await dir.read('map.svg');
    const drawn = [...svg.matchAll(/<rect class="h\d"[^>]+><title>([\d,]+) calls? of /g)].map(([, calls]) =>
      Number(calls),
    );
    expect(drawn).toEqual(cells.map(({ calls }) => calls));
  });

  test('has the ranks of the slowest at their marks, and what they are below the plot', async ({ dir }) => {
    await ptflame(['latency', 'take', DEMO, '--heatmap', '-o', 'map.svg', '-q'], { cwd: dir.path });
    const svg = await dir.read('map.svg');
    const texts = [...svg.matchAll(/<text class="label middle" x="[\d.]+" y="(-?[\d.]+)">([^<]*)</g)];
    const rows = [...svg.matchAll(/<text x="0" y="(\d+)">(\d): [^<]* thread /g)];
    expect(texts.flatMap(([, , ranks = '']) => ranks.split(' ')).sort()).toEqual(['1', '2', '3']);
    expect(rows.map(([, , rank]) => rank)).toEqual(['1', '2', '3']);
    const heightPx = 400;
    for (const [, yPx] of texts) expect(Number(yPx)).toBeLessThan(heightPx);
    for (const [, yPx] of rows) expect(Number(yPx)).toBeGreaterThan(heightPx);
  });

  test('has names as text, and no script', async ({ dir }) => {
    const names = strangeTrace().replaceAll('plain', '<script>alert(1)</script>');
    await dir.write('trace.txt', names);
    await ptflame(['latency', '/script/', 'trace.txt', '--timeline', '-o', 'a.svg'], { cwd: dir.path });
    await ptflame(['latency', '/alarm/', 'trace.txt', '--heatmap', '-o', 'b.svg'], { cwd: dir.path });
    const [first, second] = [await dir.read('a.svg'), await dir.read('b.svg')];
    expect(first).toContain('&lt;script&gt;alert(1)&lt;/script&gt;: 3 calls over time');
    expect(first).not.toContain('<script');
    expect(second).toContain('red_\\x1b[31m_alarm: 3 calls over time');
  });

  test('is written without a table, and says where', async ({ dir }) => {
    const run = await ptflame(['latency', 'take', DEMO, '--timeline', '-o', 'out.svg'], { cwd: dir.path });
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain('wrote out.svg: ');
  });
});

test.concurrent.each([
  [['--timeline', '--heatmap'], /mutually exclusive/, /leave one out/],
  [['-o', 'out.svg'], /-o out\.svg is for a plot, but none is requested/, /--timeline or --heatmap/],
  [['--timeline', '-o', 'out.png'], /unknown file ending: out\.png/, /\.txt, \.json, \.csv/],
  [['--timeline', '-o', '-', '--json'], /both write to standard output/, /-o FILE\.svg/],
  [['--timeline', '--csv'], /--timeline has no effect on csv output/, /./],
] as const)('refuses %j', async (args, message, remedy) => {
  expectRefusal(await ptflame(['latency', 'take', DEMO, ...args]), 2, message, remedy);
});
