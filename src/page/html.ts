/**
 * Renders a profile as one HTML file: a complete report that any browser opens without a network.
 */
import { createHash } from 'node:crypto';
import type { Profile } from '../model/profile/profile.js';
import type { WaitsByPath } from '../model/profile/waits-by-path.js';
import type { Timeline } from '../model/timeline/timeline.js';
import { originText, subtitleOf } from '../render/frames/captions.js';
import { HATCH_PATTERN } from '../render/frames/drawing.js';
import { titlesOf } from '../render/frames/recording-name.js';
import { qualitySummary } from '../render/quality-summary.js';
import { xml } from '../render/svg/xml.js';
import { visibleText } from '../render/visible-text.js';
import { timelinePieces } from './data/timeline/write.js';
import { pageDataPieces } from './data/write.js';
import { deflatedBase64, deflatedInParallel } from './deflated.js';
import { documentStart } from './document.js';
import { PAGE_NOTICE, PAGE_SCRIPT, PAGE_STYLE } from './page.generated.js';
import { themeStyle } from './theme-style.js';
import { formatHash, START, type State } from './view/state.js';

export interface HtmlOptions {
  /** Default: what was recorded, where and when, if known. */
  readonly title?: string;
  /** Initially, callers above callees. */
  readonly icicle?: boolean;
  /** `ptflame serve` sends it, and all calls when the page asks for them. Default: false. */
  readonly isServed?: boolean;
}

/** Yields the file in parts. Each thread of the profile must have its own tree. */
export function* renderHtml(profile: Profile, options: HtmlOptions = {}): Generator<string> {
  yield beforeData(profile, options);
  yield* deflatedBase64(pageDataPieces(profile));
  yield AFTER_DATA;
}

/** What a page shows besides a profile. */
export interface HtmlExtras {
  readonly waits?: WaitsByPath | null;
  readonly timeline?: Timeline | null;
}

/** Yields the same file; its data is deflated in Node's pool of threads. */
export async function* renderHtmlInParallel(
  profile: Profile,
  options: HtmlOptions = {},
  { waits = null, timeline = null }: HtmlExtras = {},
): AsyncGenerator<string> {
  yield beforeData(profile, options);
  yield* deflatedInParallel(pageDataPieces(profile, waits));
  if (timeline !== null) {
    yield BETWEEN_DATA;
    yield* deflatedInParallel(timelinePieces(timeline));
  }
  yield AFTER_DATA;
}

function beforeData(profile: Profile, options: HtmlOptions): string {
  const { icicle = false, isServed = false } = options;
  const { title, windowTitle } = titlesOf(profile, options.title);
  const style = pageStyle();
  const start: State = { ...START, isIcicle: icicle };
  return `${documentStart({ title: windowTitle, policy: pagePolicy(isServed), style, notice: PAGE_NOTICE })}${headMarkup(profile, title)}
<main id="app"${isServed ? ' data-served' : ''} data-start="${xml(formatHash(start, null))}"><noscript>This report needs JavaScript. The script is part of the file; nothing is loaded from the network.</noscript></main>
<svg class="defs" aria-hidden="true" width="0" height="0">${HATCH_PATTERN}</svg>
<script type="application/octet-stream" id="data">`;
}

/** The timeline is a block of its own: it is read when it is needed. */
const BETWEEN_DATA = '</script>\n<script type="application/octet-stream" id="timeline">';

const AFTER_DATA = `</script>\n<script>${PAGE_SCRIPT}</script>\n</body>\n</html>\n`;

/** Returns a policy that allows only our script and style, and no network access, unless to the server of the page. */
export function pagePolicy(isServed: boolean): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(PAGE_SCRIPT)}'`,
    `style-src '${hashOf(pageStyle())}'`,
    ...(isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function pageStyle(): string {
  return `${themeStyle()}\n${PAGE_STYLE}`;
}

function hashOf(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}

function headMarkup(profile: Profile, title: string): string {
  const { line, notes, ...quality } = qualitySummary(profile);
  const warnings = [...quality.damage, ...quality.warnings].map((text) => `<li>${xml(text)}</li>`);
  const origin = originText(profile.meta);
  return [
    '<header>',
    `<h1><bdi>${xml(title)}</bdi></h1>`,
    `<p>${xml(subtitleOf(profile, callsOf(profile)))}</p>`,
    `<p>${xml(line)}</p>`,
    ...(origin === '' ? [] : [`<p>${xml(origin)}</p>`]),
    ...(warnings.length === 0 ? [] : [`<div role="alert"><ul class="warnings">${warnings.join('')}</ul></div>`]),
    ...(notes.length === 0 ? [] : [notesMarkup(notes)]),
    '</header>',
  ].join('\n');
}

/** Writes the notes. A list that scrolls must be focusable, to be scrolled by keyboard. */
function notesMarkup(notes: readonly string[]): string {
  const focus = notes.length > VISIBLE_NOTES ? ' tabindex="0"' : '';
  const items = notes.map((note) => `<li><bdi>${xml(visibleText(note))}</bdi></li>`);
  return `<ul class="notes" aria-label="Notes"${focus}>${items.join('')}</ul>`;
}

/** As in the style sheet. */
const VISIBLE_NOTES = 4;

/** Counts all calls, shown for traces without times. */
function callsOf({ threads }: Profile): number {
  return threads.reduce((sum, { tree }) => sum + tree.calls.reduce((own, calls) => own + calls, 0), 0);
}
