/**
 * Loads the renderer of a format.
 */

import type { LongestCalls } from '../../src/model/calls/call-events.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { PageContents } from '../../src/page/contents/analyze-for-page.js';
import type { PageSource } from '../../src/page/contents/page-source.js';
import type { PageTrigger } from '../../src/page/contents/page-trigger.js';
import { renderJson } from '../../src/profile-file/write.js';
import { renderFoldedBytes } from '../../src/render/folded.js';
import { renderSvg } from '../../src/render/svg/svg.js';
import type { CallsSpool } from './calls-spool.js';
import type { Format } from './formats.js';
import type { Chunks } from './write-chunks.js';

/** What is written besides the profile. */
export interface Extras extends Pick<PageContents, 'waits' | 'timeline' | 'longestCalls' | 'requests' | 'blocked'> {
  /** null: not requested. */
  readonly calls: CallsSpool | null;
  /** Of pages; absent, null: not requested. */
  readonly source?: PageSource | null;
  /** Of pages; null: the input is no snapshot of a call. */
  readonly trigger: PageTrigger | null;
}

export type Renderer = (profile: Profile, extras: Extras) => Chunks;
/** The options of `render` that renderers use. */
export interface RendererOptions {
  readonly annotate: boolean;
  readonly by: 'none' | 'thread' | 'process' | 'comm';
  readonly minNs: number;
  readonly title?: string | undefined;
  readonly width?: number | undefined;
  readonly icicle: boolean;
  readonly minPx?: number | undefined;
}

export async function loadRenderer(format: Format, options: RendererOptions): Promise<Renderer> {
  const { annotate, by, minNs, title, width, icicle, minPx } = options;
  const titled = { ...(title !== undefined && { title }) };
  switch (format) {
    case 'json':
      return renderJson;
    case 'folded':
      return (profile) => renderFoldedBytes(profile, { annotate, by, minNs });
    case 'html': {
      const { renderHtmlInParallel } = await import('../../src/page/html.js');
      return (profile, extras) => renderHtmlInParallel(profile, titled, extras);
    }
    case 'callgrind':
      return (await import('../../src/export/callgrind.js')).renderCallgrind;
    case 'parquet':
      return (_profile, { calls }) => calls?.chunks() ?? [];
    case 'pprof':
      return (await import('../../src/export/pprof.js')).renderPprof;
    case 'perfetto': {
      const { renderPerfetto } = await import('../../src/export/perfetto/perfetto.js');
      return (profile, { longestCalls, timeline }) =>
        renderPerfetto(profile, { longestCalls: longestCalls as LongestCalls, timeline });
    }
    case 'firefox': {
      const { renderFirefox } = await import('../../src/export/firefox.js');
      return (profile, { longestCalls }) => renderFirefox(profile, longestCalls as LongestCalls);
    }
    case 'speedscope': {
      const { renderSpeedscope } = await import('../../src/export/speedscope.js');
      return (profile, { longestCalls }) => renderSpeedscope(profile, longestCalls as LongestCalls);
    }
    case 'svg': {
      const size = { ...(width !== undefined && { widthPx: width }), ...(minPx !== undefined && { minPx }) };
      return (profile) => renderSvg(profile, { by, icicle, ...titled, ...size });
    }
  }
}
