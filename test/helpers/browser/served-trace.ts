/**
 * Makes the levels file of a trace, with a page that has only some calls, as `ptflame serve` does.
 */
import { openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Profile, TraceInput } from '../../../src/index.js';
import { type LevelsFile, readLevels } from '../../../src/levels/read.js';
import { LevelsWriter } from '../../../src/levels/write.js';
import type { Timeline } from '../../../src/model/profile/timeline.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../../src/page/html.js';

const ORIGIN = { secret: Buffer.alloc(32), trace: 'trace', key: 'key' };

export interface ServedTrace {
  readonly levels: LevelsFile;
  readonly profile: Profile;
  readonly timeline: Timeline;
  close(): Promise<void>;
}

/** `timelineBytes`: of the page. */
export async function servedTrace(input: TraceInput, timelineBytes: number): Promise<ServedTrace> {
  const folder = await mkdtemp(join(tmpdir(), 'served-'));
  const path = join(folder, 'levels');
  const writer = new LevelsWriter(openSync(path, 'w'), ORIGIN);
  const { profile, timeline, ...extras } = await analyzeForPage([input], {
    ...{ trees: 'apart', byCalls: true, durations: true, timelineBytes },
    onChunks: (...own) => writer.addThread(...own),
  });
  await writer.finish(renderHtmlInParallel(profile, { isServed: true }, { ...extras, timeline }));
  const levels = (await readLevels(await open(path), ORIGIN)) as LevelsFile;
  const close = async () => {
    await levels.close();
    await rm(folder, { recursive: true });
  };
  return { levels, profile, timeline: timeline as Timeline, close };
}
