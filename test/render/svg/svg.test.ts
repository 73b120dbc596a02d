/**
 * Tests the SVG as text: its content, escaping and size.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { qualityLines } from '../../../cli/output/lines.js';
import { type Profile, renderSvg, type SvgOptions } from '../../../src/index.js';
import { CallTreeBuilder, ROOT } from '../../../src/model/calls/call-tree.js';
import { SymbolTableBuilder } from '../../../src/model/symbol-table.js';
import { renderHtml } from '../../../src/page/html.js';
import { type FrameColumns, frameTable } from '../../../src/render/frames/frame-table.js';
import { NO_LIBRARIES } from '../../../src/render/frames/libraries.js';
import { qualitySummary } from '../../../src/render/quality-summary.js';
import { readData, writeData } from '../../../src/render/svg/data.js';
import { HEAD, sansWidthPx, wrapped } from '../../../src/render/svg/head.js';
import { SCRIPT } from '../../../src/render/svg/script.generated.js';
import { keepLargest } from '../../../src/render/svg/svg.js';
import { xml } from '../../../src/render/svg/xml.js';
import { analyzeText, fixture } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const svgOf = (profile: Profile, options: SvgOptions = {}) => [...renderSvg(profile, options)].join('');

const TRACE = traceOf(`
  10  call    main  a
  30  return  a     main
  40  call    main  b
  90  return  b     main`);

/** Returns the labels of frames from top to bottom, as shown without a script. */
function labelsIn(svg: string): string[] {
  const [, labels = ''] = /<g id="labels">\n(.*?)<\/g>/s.exec(svg) ?? [];
  return [...labels.matchAll(/y="(\d+)">([^<]*)</g)]
    .sort((a, b) => Number(a[1]) - Number(b[1]))
    .map(([, , text = '']) => text);
}

describe('an SVG', () => {
  test('shows names, calls and averages in frames, callers at the bottom', async () => {
    const svg = svgOf(await analyzeText(TRACE));
    expect(labelsIn(svg)).toEqual(['a · 1 · 20 ns', 'b · 1 · 50 ns', 'main · 0 of 1 · ≥ 80 ns', 'all · 80 ns']);
  });

  test('shows callers on top as an icicle graph', async () => {
    const svg = svgOf(await analyzeText(TRACE), { icicle: true });
    expect(labelsIn(svg)).toEqual(['all · 80 ns', 'main · 0 of 1 · ≥ 80 ns', 'a · 1 · 20 ns', 'b · 1 · 50 ns']);
  });

  test('has a root frame per thread if requested', async () => {
    expect(labelsIn(svgOf(await analyzeText(TRACE), { by: 'thread' })).at(-2)).toBe('thread 1 · 80 ns');
  });

  test('shows what was recorded and its quality', async () => {
    const svg = svgOf(await analyzeText(TRACE), { title: 'lunch <&> hour' });
    expect(svg).toContain('<title>lunch &lt;&amp;&gt; hour</title>');
    expect(svg).toContain('>80 ns recorded · 1 thread · 80 ns of wall-clock time in total<');
    expect(svg).toContain('>4 events of 1 thread in 80 ns; nothing lost, 1 call inferred<');
  });

  test('shows all numbers without a script, too', async () => {
    const svg = svgOf(await analyzeText(TRACE));
    expect(svg).toContain('<title>b: 50 ns, 62.5 %; 1×, 50 ns each</title>');
  });

  test('weighs calls for a trace without times', async () => {
    const svg = svgOf(await analyzeText(fixture('lab/fields-timeless-no-time.txt'), { byCalls: true }));
    expect(svg).toContain('calls, no times<');
    expect(svg.includes('average 1')).toBe(false);
  });

  test('has the same bytes for the same profile', async () => {
    const [first, second] = [await analyzeText(TRACE), await analyzeText(TRACE)];
    expect(svgOf(first)).toBe(svgOf(second));
  });

  test('explains only the colours that occur', async () => {
    const svg = svgOf(await analyzeText(fixture('hardware/overflow-memmove.txt')));
    expect(svg).toMatch(/>\[lost\]: not recorded \d/);
    expect(svg).toContain('>hatched: start or end not seen<');
    expect(svg).not.toContain('>[preempted]');
  });

  test('shows the same warnings as the terminal', async () => {
    for (const name of ['lab/overflow-and-lost.txt', 'lab/demo-cre.txt', 'hardware/overflow-tailcalls.txt']) {
      const profile = await analyzeText(fixture(name));
      const { line, warnings } = qualitySummary(profile);
      expect(qualityLines(profile)[0]).toBe(line);
      for (const warning of warnings) expect(qualityLines(profile)).toContain(`warning: ${warning}`);
    }
  });

  test.each(['lab/overflow-and-lost.txt', 'hardware/kernel-hwint-syscall.txt'])(
    'has the notes of the terminal on %s, like the page',
    async (name) => {
      const profile = await analyzeText(fixture(name));
      const notes = qualityLines(profile).flatMap((line) => /^note: (.*)/.exec(line)?.[1] ?? []);
      expect(notes).not.toEqual([]);
      const page = [...renderHtml(profile)].join('');
      for (const note of notes) {
        expect(svgOf(profile)).toContain(`data-note="${xml(note)}"`);
        expect(page).toContain(`<li><bdi>${xml(note)}</bdi></li>`);
      }
    },
  );

  test.each([380, 480])('has no line wider than %i pixels above the frames', async (widthPx) => {
    const profile = await analyzeText(fixture('lab/overflow-and-lost.txt'));
    const title = `${'a long title '.repeat(6)}ends here`;
    const svg = svgOf(profile, { widthPx, title });
    const [, head = ''] = /<g id="head"(.*?)<g id="notes"/s.exec(svg) ?? [];
    const lines = [...head.matchAll(/<(?:text|tspan)[^>]*>([^<]+)</g)].map(([, line = '']) => line);
    const availablePx = widthPx - 2 * HEAD.marginPx;
    expect(lines.filter((line) => !title.includes(line) && sansWidthPx(line) > availablePx)).toEqual([]);
    const { line, warnings } = qualitySummary(profile);
    for (const text of [title, line, ...warnings]) expect(lines.join(' ')).toContain(text);
    const tops = [...head.matchAll(/<text (?:id|class)[^>]* y="(\d+)"(?: transform="translate\(0 (\d+)\)")?/g)].map(
      ([, y, down = 0]) => Number(y) + Number(down),
    );
    expect(tops.toSorted((a, b) => a - b)).toEqual(tops);
    const notesPx = Number(/<g id="notes" transform="translate\(14 (\d+)\)"/.exec(svg)?.[1]);
    expect(notesPx).toBeGreaterThan(tops.at(-1) as number);
  });

  test('has the same title and command as the page', async () => {
    const recorded = { host: 'db1', kernel: null, cpu: null, perf: null, startedAt: '2026-11-21T14:03:05Z' };
    const { meta, ...profile } = await analyzeText(TRACE);
    const known = {
      ...profile,
      meta: { ...meta, recorded: { ...recorded, command: ['perf', 'record', '--', './a', 'x y'] } },
    };
    for (const file of [svgOf(known), [...renderHtml(known)].join('')]) {
      expect(file).toContain('<title>a on db1, 2026-11-21 14:03 UTC – wall-clock flame graph</title>');
      expect(file).toMatch(/(?:id="title"[^>]*>|<h1><bdi>)a on db1, 2026-11-21 14:03 UTC</);
      expect(file.replaceAll('&#39;', "'")).toMatch(/by .{0,10}perf record -- \.\/a 'x y'/);
    }
  });

  test('notes missing switch records, with the remedy', async () => {
    const note = 'may be on-CPU or off-CPU time: decode with --show-switch-events';
    expect(svgOf(await analyzeText(fixture('lab/demo-cre.txt')))).toContain(note);
    expect(svgOf(await analyzeText(TRACE))).not.toContain(note); // no stops
    expect(svgOf(await analyzeText(fixture('lab/thread-create-switch-migrate.txt')))).not.toContain(note);
  });

  test('has a frame per file for functions of the same name', async () => {
    const trace = TRACE.replaceAll(/\b(a|b)\+(0x\w+)/g, (_, name, offset) => `init+${offset} (/lib/${name}.so)`);
    const profile = await analyzeText(trace);
    expect(labelsIn(svgOf(profile)).slice(0, 2)).toEqual(['init (a.so) · 1 · 20 ns', 'init (b.so) · 1 · 50 ns']);
    const { table } = readData(/<metadata id="data">(.*?)</.exec(svgOf(profile))?.[1] ?? '');
    expect(table.names).toContain('init (b.so)');
  });

  test('wraps notes at words and splits words longer than a line', () => {
    const lines = wrapped(`one two ${'x'.repeat(25)} three`, 68);
    expect(lines).toEqual(['one two', 'x'.repeat(10), 'x'.repeat(10), 'xxxxx', 'three']);
  });
});

const HOSTILE = [
  '</script><img src=x onerror=alert(1)>',
  '</metadata></svg><script>alert(1)</script>',
  ']]>',
  '<!--',
  '&lt;&quot;',
  `"'\``,
  '\x1b]0;owned\x07',
  '\u202egnp.exe',
  '\u2066isolate',
  '\ud800',
  '\udfff\ud800',
  '\ufffe\uffff',
  '\u{1fffe}',
  '\0',
  '\u2028',
];

describe('hostile names', () => {
  const forbidden = /[\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u2028\u2029]|(?!\n)\p{Cc}/u;

  test.each(HOSTILE.map((name) => ({ name })))('$name stays text', ({ name }) => {
    const svg = svgOf(profileOf([name]), { title: name });
    expect(svg).not.toMatch(forbidden);
    expect(svg.match(/<script|<\/script/g)).toEqual(['<script', '</script']);
    expect(svg).not.toMatch(/<img|<!--|]]>|<\/metadata><\/svg>/);
    expect(svg.match(/<metadata id="data">([^<&>]*)<\/metadata>/)).not.toBeNull();
  });

  test('have unsafe characters escaped', () => {
    expect(xml('\x1b]0;\u202ea\ud800\ufffe')).toBe('\\x1b]0;\\u202ea\\ud800\\ufffe');
  });

  test('cannot end our script early', () => {
    const [, script = ''] = /<script>(.*)<\/script>/s.exec(svgOf(profileOf(['a']))) ?? [];
    expect(script).not.toMatch(/[<>]/);
    expect(script.length).toBeGreaterThan(1000);
  });

  test('the script is small and builds nothing from text', () => {
    expect(Buffer.byteLength(SCRIPT)).toBeLessThan(32_000);
    expect(SCRIPT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|\bFunction\(|DOMParser|fetch\(|https?:\/\/(?!www\.w3\.org)/,
    );
  });
});

describe('large SVGs', () => {
  test('have at most 2.5 MB for 10,000 frames', () => {
    const names = Array.from(
      { length: 10_000 },
      (_, index) => `database::storage::Page<row_${index % 500}>::read_${index}`,
    );
    const svg = svgOf(profileOf(names), { minPx: 0 });
    expect(svg.match(/<rect class="f/g)?.length).toBeGreaterThan(9_999);
    expect(svg.length).toBeLessThan(2_500_000);
  });

  test('have a bounded height for a tree of 30,000 levels', () => {
    const builder = new CallTreeBuilder();
    let node = ROOT;
    for (let level = 0; level < 30_000; level++) builder.charge((node = builder.child(node, 6)), 1);
    const svg = svgOf(profileWith(builder, ['deep']));
    expect(svg).toContain('deeper frames');
    expect(Number(/height="(\d+)"/.exec(svg)?.[1])).toBeLessThan(12_000);
  });
});

describe('the data in the file', () => {
  const columns = fc
    .array(fc.record({ up: fc.nat(), selfNs: fc.nat(9), symbol: fc.nat(5) }), { maxLength: 60 })
    .map(columnsOf);

  test('counts omitted frames at their position', () => {
    fc.assert(
      fc.property(columns, fc.integer({ min: 1, max: 40 }), (all, most) => {
        const before = frameTable(all);
        const after = frameTable(keepLargest(all, Number.POSITIVE_INFINITY, most));
        expect(after.frames[ROOT]).toBe(before.frames[ROOT]);
        expect(after.total[ROOT]).toBe(before.total[ROOT]);
        expect(after.inferredTotalNs[ROOT]).toBe(before.inferredTotalNs[ROOT]);
        const kept = after.omitted.reduce((count, omitted) => count + (omitted === 0 ? 1 : 0), 0);
        expect(kept).toBeLessThanOrEqual(Math.max(most, 1));
      }),
    );
  });

  test('is read as it was written', () => {
    fc.assert(
      fc.property(columns, fc.boolean(), (all, isIcicle) => {
        const { table, settings } = readData(writeData(all, { isIcicle, minPx: 0.5 }));
        expect(settings).toEqual({ isIcicle, minPx: 0.5 });
        const named = (from: FrameColumns) =>
          Array.from(from.tree.symbol, (symbol) => [from.names[symbol], from.families[symbol]]);
        expect(named(table)).toEqual(named(all));
        for (const column of ['parent', 'calls', 'inferredCalls', 'selfNs', 'inferredNs', 'completeNs'] as const)
          expect(table.tree[column]).toEqual(all.tree[column]);
        expect(table.omitted).toEqual(all.omitted);
      }),
    );
  });
});

/** Returns a trace of one thread that calls each name once, for a nanosecond. */
function profileOf(names: readonly string[]): Profile {
  const builder = new CallTreeBuilder();
  names.forEach((_, index) => {
    const node = builder.child(ROOT, 6 + index);
    builder.charge(node, 100);
    builder.countComplete(node, 100);
  });
  return profileWith(builder, names);
}

function profileWith(builder: CallTreeBuilder, names: readonly string[]): Profile {
  const symbols = new SymbolTableBuilder();
  for (const name of names) symbols.intern(name, null);
  const none = { OpenAtStart: 0, OpenAtEnd: 0, CutByGap: 0, Unwound: 0, HiddenJump: 0 };
  const counts = { lines: 1, events: 1, gapLines: 0, ignoredLines: 0, damagedLines: 0, clockSteps: 0 };
  const inferred = { threadsCut: 0, inferredEvents: 0, unknownFlagLines: 0 };
  const lists = { firstDamaged: [], brokenInputs: [], losses: [], gaps: [], unknownFlags: [] };
  const times = { lostNs: 0, inferredNs: 0, hiddenNs: 0, unknownNs: 0, totalNs: 100 };
  return {
    meta: {
      originNs: 0n,
      startNs: 0,
      endNs: 100,
      scope: 'user',
      weight: 'ns',
      hasSwitches: null,
      part: null,
      recorded: null,
    },
    symbols: symbols.build(),
    threads: [
      { tid: 1, pid: null, comm: null, startNs: 0, endNs: 100, tree: builder.build(), hiddenNs: 0, durations: null },
    ],
    together: null,
    durations: null,
    quality: { ...counts, ...inferred, ...lists, ...times, inferredCalls: none },
  };
}

/** Generates a tree in pre-order: each node is added below a node of the last path. */
function columnsOf(rows: readonly { up: number; selfNs: number; symbol: number }[]): FrameColumns {
  const builder = new CallTreeBuilder();
  const path = [ROOT];
  for (const { up, selfNs, symbol } of rows) {
    path.length = 1 + (up % path.length);
    const before = builder.length;
    const node = builder.child(path.at(-1) as number, symbol + 10 * before);
    builder.charge(node, selfNs, selfNs % 2 === 1 ? null : 0);
    builder.countComplete(node, selfNs);
    path.push(node);
  }
  const tree = builder.build();
  const names = Array.from({ length: 10 * tree.length + 10 }, (_, row) => `<${row}>`);
  return {
    tree,
    names,
    families: names.map(() => 'user'),
    libraries: NO_LIBRARIES,
    omitted: new Float64Array(tree.length),
    weight: 'ns',
  };
}
