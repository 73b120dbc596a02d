/**
 * Writes the timeline of a page and reads it back.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileFault } from '../../../src/codec/file-fault.js';
import { pageWriter } from '../../../src/codec/page-numbers.js';
import { openTraceFile } from '../../../src/index.js';
import type { Timeline } from '../../../src/model/profile/timeline.js';
import { readTimeline } from '../../../src/page/browser/platform/decode.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { timelinePieces } from '../../../src/page/data/timeline-write.js';
import { everyNth } from '../../helpers/random/times.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';

function bytesOf(timeline: Timeline): Uint8Array {
  return new Uint8Array(Buffer.concat([...timelinePieces(timeline)]));
}

const BUDGETS = [100_000, 2_000, 0.5];

/** Every second fixture: what is written depends little on which. */
const FILES = everyNth(traceFiles, 4);

test.each(FILES.map((file, at) => [file, BUDGETS[at % BUDGETS.length]] as const))(
  '%s in %d bytes: reads what was written',
  async (file, timelineBytes) => {
    const input = await openTraceFile(file);
    const options = { trees: 'apart', byCalls: true, timelineBytes } as const;
    const asked = await analyzeForPage([input], options).catch((error: { code: string }) => error.code);
    if (typeof asked === 'string') return expect(asked).toBe('NO_BRANCHES');
    const { timeline } = asked;
    if (timeline === null) return expect(asked.profile.meta.weight).toBe('calls');
    expect(timeline.threads.map(({ tid }) => tid)).toEqual(asked.profile.threads.map(({ tid }) => tid));
    const read = readTimeline(bytesOf(timeline));
    expect(read).toEqual(timeline);
  },
);

describe('damage', () => {
  const timeline = (async () => {
    const input = await openTraceFile('fixtures/demo/threads.perf.txt.gz');
    const { timeline } = await analyzeForPage([input], { trees: 'apart', byCalls: true, timelineBytes: 20_000 });
    return bytesOf(timeline as Timeline);
  })();

  test('rejects bytes that are truncated or too long', async () => {
    const bytes = await timeline;
    readTimeline(bytes);
    for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 500))
      expect(() => readTimeline(bytes.slice(0, length))).toThrow();
    expect(() => readTimeline(Uint8Array.of(...bytes, 1))).toThrow('continues after its end');
  });

  test('rejects or reads data with changed bytes, and always ends', async () => {
    const bytes = await timeline;
    const harm = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(harm, (harm) => {
        const damaged = bytes.slice();
        for (const [at, byte] of harm) damaged[at] = byte;
        try {
          readTimeline(damaged);
        } catch (error) {
          expect(error).toSatisfy(
            (error) => error instanceof FileFault || error instanceof SyntaxError || error instanceof TypeError,
          );
        }
      }),
      { numRuns: 2000 },
    );
  });

  test.each([-1, 0.5, 1e9, 2 ** 53])('rejects %d rows before memory is allocated for them', (rows) => {
    const thread = { tid: 1, slices: 0, sums: { rows, calls: 0, times: 0 }, levels: [], split: 0 };
    const writer = pageWriter();
    writer.text(JSON.stringify({ stripSliceNs: 1, threads: [thread] }));
    expect(() => readTimeline(writer.view())).toThrow('the page');
  });
});
