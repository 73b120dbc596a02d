/**
 * Renders a profile as one HTML file: a complete report that any browser opens without a network.
 */

import { base64Text, joined } from '../codec/bytes.js';
import { sha256 } from '../host/digest.js';
import { type DeflateSettings, deflateRaw, deflateRawAside } from '../host/zip.js';
import { askForMemory } from '../model/memory.js';
import type { Profile } from '../model/profile/profile.js';
import type { Timeline } from '../model/profile/timeline.js';
import type { WaitsByPath } from '../model/profile/waits-by-path.js';
import type { Comparison } from '../render/diff/comparison.js';
import { DEFAULT_TITLE, type DiffPictureOptions, diffTexts } from '../render/diff/picture.js';
import { changeFlats, patternMarkup } from '../render/diff/wording.js';
import { formatDuration, formatMany, threadNoun } from '../render/format.js';
import { originText, subtitleOf, titlesOf } from '../render/frames/captions.js';
import { texturePatterns } from '../render/frames/drawing.js';
import { truncate } from '../render/frames/labels.js';
import { qualitySummary, trustOf } from '../render/quality-summary.js';
import { xml } from '../render/svg/xml.js';
import { isolated, visibleText } from '../render/visible-text.js';
import { profileOfBoth } from './contents/compared-profile.js';
import type { PageData } from './data/page-data.js';
import { type PageRequests, scriptJson } from './data/requests.js';
import type { PageSource } from './data/source.js';
import { timelinePieces } from './data/timeline-write.js';
import type { PageTrigger } from './data/trigger.js';
import { type BlockedTime, blockedDataPieces, pageDataOf, pageDataPieces } from './data/write.js';
import { documentStart, type ReportHead, themeStyle } from './document.js';
import { PAGE_LOADER, PAGE_NOTICE, PAGE_SCRIPT, PAGE_SCRIPT_HASH, PAGE_STYLE } from './page.generated.js';
import { COMPARED_RECORDINGS, formatHash, START, type State } from './view/state.js';

export interface HtmlOptions {
  /** Default: what was recorded, where and when, if known. */
  readonly title?: string;
  /** Initially, callers above callees; default: they are. */
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

/** Yields the page of a comparison of two recordings. `strips`: what both did over time; null: not known. */
export function* renderComparedHtml(
  comparison: Comparison,
  options: DiffPictureOptions = {},
  strips: Timeline | null = null,
): Generator<string> {
  yield opening(comparedHead(comparison, options));
  const { scales, per } = comparison;
  yield* deflatedBase64(pageDataPieces(profileOfBoth(comparison), null, { scales, per }));
  if (strips !== null) {
    yield blockStart('timeline');
    yield* deflatedBase64(timelinePieces(strips));
  }
  yield AFTER_DATA;
}

export function comparedHead(comparison: Comparison, options: DiffPictureOptions): ReportHead {
  const { title = DEFAULT_TITLE, icicle = START.isIcicle, widthOf = START.widthOf } = options;
  const start: State = { ...START, ...COMPARED_RECORDINGS, isIcicle: icicle, widthOf };
  return { windowTitle: title, markup: comparedHeadMarkup(comparison, title), start: formatHash(start, null) };
}

/** Returns what the page of a comparison reads. */
export function comparedData(comparison: Comparison): PageData {
  const { scales, per } = comparison;
  return pageDataOf(profileOfBoth(comparison), null, { scales, per }, null).data;
}

/** What a page shows besides a profile. */
export interface HtmlExtras {
  readonly waits?: WaitsByPath | null;
  readonly timeline?: Timeline | null;
  readonly requests?: PageRequests | null;
  readonly source?: PageSource | null;
  readonly trigger?: PageTrigger | null;
  readonly blocked?: BlockedTime | null;
}

/** Yields the same file; its data is deflated in Node's pool of threads. */
export async function* renderHtmlInParallel(
  profile: Profile,
  options: HtmlOptions = {},
  { waits = null, timeline = null, requests = null, source = null, trigger = null, blocked = null }: HtmlExtras = {},
): AsyncGenerator<string> {
  yield beforeData(profile, options);
  yield* deflatedInParallel(pageDataPieces(profile, waits, null, trigger, blocked));
  if (timeline !== null) {
    yield blockStart('timeline');
    yield* deflatedInParallel(timelinePieces(timeline));
  }
  if (blocked !== null) {
    yield blockStart('blocked');
    yield* deflatedInParallel(blockedDataPieces(profile, waits, blocked));
  }
  if (requests !== null) yield jsonBlock('requests', requests);
  if (source !== null) yield jsonBlock('source', source);
  yield AFTER_DATA;
}

function jsonBlock(id: string, value: object): string {
  return `</script>\n<script type="application/json" id="${id}">${scriptJson(value)}`;
}

function beforeData(profile: Profile, options: HtmlOptions): string {
  const { isServed = false } = options;
  return opening(reportHead(profile, options), isServed);
}

function opening({ windowTitle: title, markup, start }: ReportHead, isServed = false): string {
  const style = pageStyle();
  return `${documentStart({ title, policy: pagePolicy(isServed), style, notice: PAGE_NOTICE })}${markup}
<main id="app"${isServed ? ' data-served' : ''} data-start="${xml(start)}"><noscript>This report needs JavaScript. The script is part of the file; nothing is loaded from the network.</noscript></main>
${patternDefs()}
${DEFLATED_SCRIPT}
<script type="application/octet-stream" id="data">`;
}

/** Comes before the data: it is inflated while the browser still reads that. */
const DEFLATED_SCRIPT = `<script type="application/octet-stream" id="script">${PAGE_SCRIPT}</script>
<script>${PAGE_LOADER}</script>`;

export function reportHead(profile: Profile, { icicle = START.isIcicle, title }: HtmlOptions = {}): ReportHead {
  const titles = titlesOf(profile, title);
  const start: State = { ...START, isIcicle: icicle };
  return {
    windowTitle: titles.windowTitle,
    markup: headMarkup(profile, titles.title),
    start: formatHash(start, null),
  };
}

/** The timeline and blocked time are blocks of their own: they are read when they are needed. */
const blockStart = (id: string) => `</script>\n<script type="application/octet-stream" id="${id}">`;

const AFTER_DATA = '</script>\n</body>\n</html>\n';

/** Returns a policy that allows only our script and style, and no network access, unless to the server of the page. */
export function pagePolicy(isServed: boolean): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(PAGE_LOADER)}' 'sha256-${PAGE_SCRIPT_HASH}'`,
    `style-src '${hashOf(pageStyle())}'`,
    ...(isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The patterns that frames refer to. */
export function patternDefs(): string {
  return `<svg class="defs" aria-hidden="true" width="0" height="0">${texturePatterns()}${patternMarkup()}</svg>`;
}

/** `style`: what the page has besides colours. */
export function pageStyle(style: string = PAGE_STYLE): string {
  return `${themeStyle()}\n${changeFlats()}\n${style}`;
}

export function hashOf(source: string): string {
  return `sha256-${sha256(source)}`;
}

/** In columns. */
const MAX_PART_WIDTH = 32;

/** Writes the head: what it is, how much, and how far to trust it. The script adds search and menus. */
function headMarkup(profile: Profile, title: string): string {
  const { meta, threads } = profile;
  const { text, isDoubtful } = trustOf(profile);
  const count = formatMany(threads.length, threadNoun(meta));
  const size = meta.weight === 'ns' && !meta.merged ? `${formatDuration(meta.endNs - meta.startNs)} · ${count}` : count;
  const part = meta.part === null ? '' : `only ${isolated(truncate(visibleText(meta.part), MAX_PART_WIDTH))} · `;
  return `${headerMarkup(title, part + size, { text, isDoubtful })}\n${trustMarkup(profile)}`;
}

function headerMarkup(title: string, size: string, { text, isDoubtful }: ReturnType<typeof trustOf>): string {
  return [
    '<header>',
    `<div class="brand">${LOGO}<h1><bdi>${xml(title)}</bdi></h1></div>`,
    `<span class="sub">${xml(size)}</span>`,
    `<button type="button" class="trust${isDoubtful ? ' doubt' : ''}" popovertarget="trust" title="what was recorded, and how far to trust it">${xml(text)}</button>`,
    '</header>',
  ].join('\n');
}

/** The chip is about the recording that is to be trusted least. */
function comparedHeadMarkup(comparison: Comparison, title: string): string {
  const { profiles, scales, per } = comparison;
  const [before, after] = [trustOf(profiles.before), trustOf(profiles.after)];
  const [side, trust] = before.isDoubtful && !after.isDoubtful ? ['before', before] : ['after', after];
  const time = (of: 'before' | 'after') => formatDuration(profiles[of].quality.totalNs * scales[of]);
  const size = `Comparison · ${time('before')} → ${time('after')}${per === null ? '' : ` per ${per}`}`;
  const isSame = before.text === after.text;
  const chip = { ...(trust as typeof after), text: isSame ? after.text : `${side}: ${(trust as typeof after).text}` };
  const { warnings, lines, notes } = diffTexts(comparison);
  const origins = [profiles.before, profiles.after].map(({ meta }) => originText(meta)).filter(Boolean);
  return `${headerMarkup(title, size, chip)}\n${factsMarkup(warnings, lines, notes, origins)}`;
}

/** A flame, as bars. */
export const LOGO = `<svg class="logo" aria-hidden="true" viewBox="0 0 16 16" width="18" height="18"><path class="more" d="M1 12h14v3H1z"/><path class="most" d="M3 8h9v3H3zM5 4h5v3H5z"/><path d="M6 0h2v3H6z"/></svg>`;

/** What the trust chip opens: losses and inferred calls with causes and remedies, and where it was recorded. */
function trustMarkup(profile: Profile): string {
  const { line, notes, damage, warnings } = qualitySummary(profile);
  const origin = originText(profile.meta);
  const about = [subtitleOf(profile, callsOf(profile)), ...(origin === '' ? [] : [origin])];
  return factsMarkup([...damage, ...warnings], [line], notes, about);
}

function factsMarkup(
  alerts: readonly string[],
  lines: readonly string[],
  notes: readonly string[],
  about: readonly string[],
): string {
  const item = (text: string) => `<li><bdi>${xml(visibleText(text))}</bdi></li>`;
  const paragraph = (text: string) => `<p>${xml(text)}</p>`;
  return [
    '<div id="trust" class="facts" popover role="dialog" aria-label="What was recorded" tabindex="0">',
    ...(alerts.length === 0 ? [] : [`<ul class="warnings">${alerts.map(item).join('')}</ul>`]),
    ...lines.map(paragraph),
    ...(notes.length === 0 ? [] : [`<ul class="notes" aria-label="Notes">${notes.map(item).join('')}</ul>`]),
    ...about.map(paragraph),
    '</div>',
  ].join('\n');
}

/** Counts all calls, shown for traces without times. */
function callsOf({ threads }: Profile): number {
  return threads.reduce((sum, { tree }) => sum + tree.calls.reduce((own, calls) => own + calls, 0), 0);
}

/** Takes about 15 ms to deflate. */
const BLOCK_BYTES = 2 ** 18;
/** How far back deflate searches for matches. */
const WINDOW_BYTES = 2 ** 15;

interface Block {
  readonly bytes: Uint8Array;
  readonly settings: DeflateSettings;
}

/**
 * Deflates bytes to base64, block by block: signals are handled between two blocks, and blocks can be deflated at the
 * same time.
 *
 * Yields a raw deflate stream as base64; up to `BLOCK_BYTES`, it is the same as from a single call.
 */
export function* deflatedBase64(pieces: Iterable<Uint8Array>): Generator<string> {
  const text = new Base64Text();
  for (const block of blocksOf(pieces)) yield block === null ? '' : text.next(deflateRaw(block.bytes, block.settings));
  yield text.end();
}

/** Yields the same text. Blocks are deflated in Node's pool of threads, while the next pieces are made. */
export async function* deflatedInParallel(pieces: Iterable<Uint8Array>): AsyncGenerator<string> {
  const text = new Base64Text();
  const results: Promise<Uint8Array>[] = [];
  for (const block of blocksOf(pieces)) {
    if (block !== null) results.push(deflated(block));
    yield ''; // lets the caller handle signals
  }
  for (const result of results) yield text.next(await result);
  yield text.end();
}

function deflated({ bytes, settings }: Block): Promise<Uint8Array> {
  const result = deflateRawAside(bytes, settings);
  result.catch(() => {}); // handled when its turn comes
  return result;
}

/** Cuts pieces into blocks; null: nothing is ready yet. All blocks except the last end at a byte and leave the stream open. */
function* blocksOf(pieces: Iterable<Uint8Array>): Generator<Block | null> {
  let block = new Uint8Array(BLOCK_BYTES);
  let before: Uint8Array | null = null;
  let length = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      if (length === BLOCK_BYTES) {
        yield { bytes: block, settings: settingsFor(before, true) };
        askForMemory(BLOCK_BYTES);
        [before, block, length] = [block, new Uint8Array(BLOCK_BYTES), 0];
      }
      const part = piece.subarray(at, at + BLOCK_BYTES - length);
      block.set(part, length);
      length += part.length;
      at += part.length;
    }
    yield null;
  }
  yield { bytes: block.subarray(0, length), settings: settingsFor(before, false) };
}

/** `before`: the block before this one, which it may refer to. */
function settingsFor(before: Uint8Array | null, isOpen: boolean): DeflateSettings {
  return {
    level: 6, // 9 takes eight times as long and saves 1 %, 5 takes two thirds and costs 1 to 7 %
    isFiltered: true, // saves 1 %
    before: before?.subarray(-WINDOW_BYTES) ?? null,
    isOpen,
  };
}

/** Encodes bytes in parts; texts of multiples of three bytes need no padding between them. */
class Base64Text {
  private rest: Uint8Array = new Uint8Array();

  next(bytes: Uint8Array): string {
    const all = joined([this.rest, bytes]);
    const encoded = all.length - (all.length % 3);
    this.rest = all.subarray(encoded);
    return base64Text(all.subarray(0, encoded));
  }

  end(): string {
    return base64Text(this.rest);
  }
}
