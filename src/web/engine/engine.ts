/**
 * The engine: opens what was dropped, analyzes it as `ptflame render -o out.html` does, and writes files of it.
 */
import { PtflameError } from '../../model/errors.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Timeline } from '../../model/profile/timeline.js';
import { analyzeForPage, type PageContents } from '../../page/contents/analyze-for-page.js';
import { STRIPS_ALONE, stripsOfBoth } from '../../page/contents/compared-strips.js';
import { pageDataOf } from '../../page/data/write.js';
import { comparedData, comparedHead, renderComparedHtml, renderHtmlInParallel, reportHead } from '../../page/html.js';
import { type AnalyzeOptions, analyzeOverTime } from '../../pipeline/analyze.js';
import { importTrace } from '../../pipeline/import-trace.js';
import { readProfile } from '../../pipeline/profile/read-profile.js';
import type { Progress } from '../../pipeline/read/trace-builder.js';
import { buffersIn, Moved } from '../../pipeline/workers/workers.js';
import { renderJson } from '../../profile-file/write.js';
import { type Comparison, compareProfiles } from '../../render/diff/comparison.js';
import { renderDiffFolded } from '../../render/diff/folded.js';
import { type DiffPictureOptions, renderDiffSvg } from '../../render/diff/picture.js';
import { renderFoldedBytes } from '../../render/folded.js';
import { renderSvg } from '../../render/svg/svg.js';
import type {
  Answer,
  Dropped,
  EngineProgress,
  EngineReport,
  Failure,
  OpenOptions,
  OutputFormat,
  Request,
} from '../messages.js';
import { openDropped, soleInput } from './open.js';
import { NeedsBinaries, type Opened } from './opened.js';
import { prepareWorkers } from './start-workers.js';

/** As `ptflame render` has it: 4M, as bytes in base64. */
const TIMELINE_BYTES = (4 * 2 ** 20 * 3) / 4;
/** More would only be work, and to draw is more than to tell. */
const PROGRESS_EVERY_MS = 200;

/** A recording or profile that is compared. */
interface Side {
  readonly file: File;
  readonly profile: Profile;
  readonly timeline: Timeline | null;
}

/** Two of them. */
interface ComparedProfiles {
  readonly comparison: Comparison;
  readonly look: DiffPictureOptions;
  readonly strips: Timeline | null;
}

type Shown = PageContents | ComparedProfiles;

class Engine {
  private dropped!: Dropped; // this and what follows is set by `open`, which comes first
  private options!: OpenOptions;
  private first!: File;
  private shown!: Shown;
  private about!: Pick<EngineReport, 'formats' | 'notes' | 'takesBinaries'>;
  /** Before and after; empty: nothing is compared. */
  private sides: Side[] = [];
  private name = '';
  private toldMs = 0;

  constructor(private readonly answer: (answer: Answer, moved?: readonly ArrayBuffer[]) => void) {}

  async receive(request: Request): Promise<void> {
    try {
      if (request.kind === 'begin') prepareWorkers(request.code, request.workers);
      else if (request.kind === 'open') await this.open(request.dropped, request.options);
      else if (request.kind === 'swap') this.swap();
      else if (request.kind === 'recognize') await this.recognize(request.files);
      else await this.write(request.format);
    } catch (error) {
      if (error instanceof NeedsBinaries) this.answer({ kind: 'needs', needs: error.needs });
      else this.answer({ kind: 'failure', failure: failureOf(error) });
    }
  }

  private async open(dropped: Dropped, options: OpenOptions): Promise<void> {
    [this.dropped, this.options] = [dropped, options];
    const opened = await this.opened();
    const [first, second] = opened as [Opened, Opened?];
    this.first = first.file;
    this.about = {
      formats: formatsOf(opened),
      notes: opened.flatMap(({ notes }) => notes),
      takesBinaries: opened.some(({ takesBinaries }) => takesBinaries),
    };
    if (second === undefined) {
      this.name = withoutKind(first.file.name);
      this.shown = await this.analyzed(first);
    } else {
      this.sides = [await this.sideOf(first), await this.sideOf(second)];
      if (dropped.drops.length === 1) this.sides.sort(byTime);
      if (options.isSwapped) this.sides.reverse();
      this.compare();
    }
    this.report();
  }

  private opened(): Promise<Opened[]> {
    return openDropped(this.dropped, this.options.withoutBinaries, (progress) => this.tell(progress));
  }

  private compare(): void {
    this.name = this.sides.map(({ file }) => withoutKind(file.name)).join('-');
    this.shown = compared(this.sides as [Side, Side]);
  }

  private swap(): void {
    this.sides.reverse();
    this.compare();
    this.report();
  }

  private async recognize(files: readonly File[]): Promise<void> {
    const after = await soleInput(files);
    const sides = after && { before: this.first.name, after: after.name };
    this.answer({ kind: 'recognized', files, sides });
  }

  private report(): void {
    this.tell({ phase: 'write', done: 0, of: null });
    const { shown, about } = this;
    const report = { ...drawnOf(shown, about.takesBinaries), ...about, shows: kindOf(shown) };
    this.answer({ kind: 'report', report }, new Moved(report).moved);
  }

  private async analyzed({ inputs, profile }: Opened): Promise<PageContents> {
    if (profile !== null) {
      return { profile: await readProfile(profile), waits: null, timeline: null, longestCalls: null };
    }
    return analyzeForPage(inputs, {
      trees: 'apart',
      durations: true,
      timelineBytes: TIMELINE_BYTES,
      byCalls: this.options.byCalls,
      ...this.working(inputs),
    });
  }

  /** As `ptflame diff`. */
  private async sideOf({ file, inputs, profile }: Opened): Promise<Side> {
    const options = { trees: 'together', durations: true, byCalls: true, ...STRIPS_ALONE } as const;
    const side =
      profile === null
        ? await analyzeOverTime(inputs, { ...options, ...this.working(inputs) })
        : { profile: await readProfile(profile), timeline: null };
    if (side.profile.meta.weight === 'calls') throw noTimes(file.name);
    return { file, ...side };
  }

  /** How many workers there are, how much memory, how much each of them reads, and what is told of their work. */
  private working(inputs: Opened['inputs']): Pick<AnalyzeOptions, 'jobs' | 'memoryBytes' | 'onProgress'> {
    const sizes = inputs.map(({ sizeBytes }) => sizeBytes ?? null);
    const of = sizes.reduce<number | null>((sum, size) => (sum === null || size === null ? null : sum + size), 0);
    const { jobs, memoryBytes } = this.options;
    return { jobs, memoryBytes, onProgress: (at) => this.tell(progressOf(at, of)) };
  }

  private tell(progress: EngineProgress): void {
    const nowMs = performance.now();
    if (progress.phase !== 'write' && nowMs - this.toldMs < PROGRESS_EVERY_MS) return;
    this.toldMs = nowMs;
    this.answer({ kind: 'progress', progress });
  }

  private async write(format: OutputFormat): Promise<void> {
    const content = await this.written(format);
    this.answer({ kind: 'written', name: `${this.name}.${format}`, content });
  }

  private written(format: OutputFormat): Promise<Blob> {
    if (format === 'ptf') return this.imported();
    const { shown } = this;
    return asBlob('comparison' in shown ? comparedFile(shown, format) : fileOf(shown, format), TYPES[format]);
  }

  /** Reads the trace again: it is not kept. */
  private async imported(): Promise<Blob> {
    const [{ inputs }] = (await this.opened()) as [Opened];
    let content = new Blob();
    await importTrace(
      inputs,
      async (bytes) => {
        content = await asBlob(bytes, 'application/octet-stream');
      },
      this.working(inputs),
    );
    return content;
  }
}

/** Browsers give the files of one drop in no order that means anything: what was recorded earlier comes before. */
function byTime(one: Side, other: Side): number {
  const startedMs = ({ profile }: Side) => Date.parse(profile.meta.recorded?.startedAt ?? '');
  const earlier = startedMs(one) - startedMs(other); // NaN unless both are known
  return earlier || one.file.lastModified - other.file.lastModified || (one.file.name < other.file.name ? -1 : 1);
}

/** As `ptflame diff -o diff.html`. */
function compared([before, after]: readonly [Side, Side]): ComparedProfiles {
  return {
    comparison: compareProfiles(before.profile, after.profile),
    look: { title: `${before.file.name} → ${after.file.name}`, widthOf: 'larger' },
    strips: stripsOfBoth(before.timeline, after.timeline),
  };
}

function kindOf(shown: Shown): EngineReport['shows'] {
  if ('comparison' in shown) return 'comparison';
  return shown.profile.meta.weight === 'calls' ? 'calls' : 'times';
}

function noTimes(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} has no times, only calls, and times are compared`, {
    hint: 'show each of them by itself',
  });
}

type Drawn = Pick<EngineReport, 'head' | 'data' | 'timeline' | 'blocked'>;

/** What the page draws; it can be moved. */
function drawnOf(shown: Shown, takesBinaries: boolean): Drawn {
  return copied(
    'comparison' in shown ? drawnComparison(shown) : drawnRecording(shown, takesBinaries),
    buffersIn(shown),
  );
}

function drawnComparison({ comparison, look, strips }: ComparedProfiles): Drawn {
  return { head: comparedHead(comparison, look), data: comparedData(comparison), timeline: strips, blocked: null };
}

function drawnRecording({ profile, waits, timeline, blocked = null }: PageContents, takesBinaries: boolean): Drawn {
  const meta = { ...profile.meta, takesBinaries };
  return { head: reportHead({ ...profile, meta }), ...pageDataOf(profile, waits, null, blocked), timeline };
}

type WrittenFormat = Exclude<OutputFormat, 'ptf'>;
const TYPES: Readonly<Record<WrittenFormat, string>> = {
  html: 'text/html',
  folded: 'text/plain',
  svg: 'image/svg+xml',
  json: 'application/json',
};

function fileOf({ profile, ...extras }: PageContents, format: WrittenFormat) {
  switch (format) {
    case 'html':
      return renderHtmlInParallel(profile, {}, extras);
    case 'folded':
      return renderFoldedBytes(profile);
    case 'svg':
      return renderSvg(profile);
    case 'json':
      return renderJson(profile);
  }
}

function comparedFile({ comparison, look, strips }: ComparedProfiles, format: WrittenFormat): Iterable<string> {
  if (format === 'html') return renderComparedHtml(comparison, look, strips);
  return format === 'svg' ? renderDiffSvg(comparison, look) : renderDiffFolded(comparison);
}

function progressOf(progress: Progress, of: number | null): EngineProgress {
  if (progress.phase === 'read') return { phase: 'read', done: progress.bytes, of };
  const { threads: done, ofThreads } = progress;
  return { phase: progress.phase, done, of: ofThreads, ...(progress.phase === 'replay' && { share: progress.share }) };
}

/** Small pieces are joined before the browser takes them. */
const PART_BYTES = 2 ** 20;

async function asBlob(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  type: string,
): Promise<Blob> {
  const parts: Blob[] = [];
  let pieces: BlobPart[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    pieces.push(typeof chunk === 'string' ? chunk : (chunk.slice() as Uint8Array<ArrayBuffer>));
    length += chunk.length;
    if (length < PART_BYTES) continue;
    parts.push(new Blob(pieces));
    [pieces, length] = [[], 0];
  }
  return new Blob([...parts, ...pieces], { type });
}

/** Returns plain data to be moved: with columns of its own in place of those that are `kept`, as files are written of these. */
function copied<Value>(value: Value, kept: ReadonlySet<ArrayBufferLike>): Value {
  if (ArrayBuffer.isView(value))
    return kept.has(value.buffer) ? ((value as unknown as Uint8Array).slice() as Value) : value;
  if (Array.isArray(value)) return value.map((part) => copied(part, kept)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, copied(own, kept)])) as Value;
}

function formatsOf([{ profile }, second]: readonly Opened[]): readonly OutputFormat[] {
  if (second !== undefined) return ['html', 'folded', 'svg'];
  return profile === null ? ['html', 'ptf', 'folded', 'svg', 'json'] : ['html', 'folded', 'svg', 'json'];
}

/** Returns a name without what tells its kind. */
function withoutKind(name: string): string {
  return name.replace(/(?:\.(?:gz|txt|data|pack|ptf|json))+$/i, '') || name;
}

function failureOf(error: unknown): Failure {
  if (error instanceof PtflameError) {
    const { code, message, hint, output } = error;
    return { code, message, hint, output };
  }
  const text = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error);
  const [message = '', ...output] = text.split('\n');
  return { code: null, message, hint: '', output: output.slice(0, 4) };
}

const engine = new Engine((answer, moved = []) => postMessage(answer, { transfer: [...moved] }));
let last = Promise.resolve();
addEventListener('message', ({ data }: MessageEvent<Request>) => {
  last = last.then(() => engine.receive(data));
});
