/**
 * The engine: opens what was dropped, analyzes it as `ptflame render -o out.html` does, and writes files of it.
 */
import { PtflameError } from '../../model/errors.js';
import type { Timeline } from '../../model/profile/timeline.js';
import { analyzeForPage, type PageContents } from '../../page/contents/analyze-for-page.js';
import { STRIPS_ALONE, stripsOfBoth } from '../../page/contents/compared-strips.js';
import { pageDataOf } from '../../page/data/write.js';
import { comparedData, comparedHead, renderComparedHtml, renderHtmlInParallel, reportHead } from '../../page/html.js';
import { type AnalyzeOptions, analyzeOverTime } from '../../pipeline/analyze.js';
import { importTrace } from '../../pipeline/import-trace.js';
import { readProfile } from '../../pipeline/profile/read-profile.js';
import type { Progress } from '../../pipeline/read/trace-builder.js';
import { Moved } from '../../pipeline/workers/workers.js';
import { renderJson } from '../../profile-file/write.js';
import { type Comparison, compareProfiles } from '../../render/diff/comparison.js';
import { renderDiffFolded } from '../../render/diff/folded.js';
import { type DiffPictureOptions, renderDiffSvg } from '../../render/diff/picture.js';
import { renderFoldedBytes } from '../../render/folded.js';
import { renderSvg } from '../../render/svg/svg.js';
import type { Answer, EngineProgress, EngineReport, Failure, OpenOptions, OutputFormat, Request } from '../messages.js';
import { openDropped } from './open.js';
import { NeedsBinaries, type Opened } from './opened.js';
import { prepareWorkers } from './start-workers.js';

/** As `ptflame render` has it: 4M, as bytes in base64. */
const TIMELINE_BYTES = (4 * 2 ** 20 * 3) / 4;
/** More would only be work, and to draw is more than to tell. */
const PROGRESS_EVERY_MS = 200;

/** Two recordings or profiles. */
interface ComparedProfiles {
  readonly comparison: Comparison;
  readonly look: DiffPictureOptions;
  readonly strips: Timeline | null;
}

type Shown = PageContents | ComparedProfiles;

export class Engine {
  private files: readonly File[] = [];
  private options!: OpenOptions; // set by `open`, which comes first
  private shown!: Shown;
  private name = '';
  private toldMs = 0;

  constructor(private readonly answer: (answer: Answer, moved?: readonly ArrayBuffer[]) => void) {}

  async receive(request: Request): Promise<void> {
    try {
      if (request.kind === 'begin') prepareWorkers(request.code, request.workers);
      else if (request.kind === 'open') await this.open(request.files, request.options);
      else await this.write(request.format);
    } catch (error) {
      if (error instanceof NeedsBinaries) this.answer({ kind: 'needs', needs: error.needs });
      else this.answer({ kind: 'failure', failure: failureOf(error) });
    }
  }

  private async open(files: readonly File[], options: OpenOptions): Promise<void> {
    [this.files, this.options] = [files, options];
    const opened = await this.opened();
    const [first, second] = opened as [Opened, Opened?];
    this.name = opened.map(({ name }) => withoutKind(name)).join('-');
    this.shown = second === undefined ? await this.analyzed(first) : await this.compared(first, second);
    this.tell({ phase: 'write', done: 0, of: null });
    const takesBinaries = opened.some((own) => own.takesBinaries);
    const notes = opened.flatMap(({ notes }) => notes);
    const report = { ...drawnOf(this.shown, takesBinaries), formats: formatsOf(opened), notes, takesBinaries };
    this.answer({ kind: 'report', report }, new Moved(report).moved);
  }

  private opened(): Promise<Opened[]> {
    return openDropped(this.files, this.options.withoutBinaries, (progress) => this.tell(progress));
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

  /** As `ptflame diff -o diff.html`. */
  private async compared(before: Opened, after: Opened): Promise<ComparedProfiles> {
    const sideOf = async ({ inputs, profile, name }: Opened) => {
      const options = { trees: 'together', durations: true, ...STRIPS_ALONE, ...this.working(inputs) } as const;
      const side =
        profile === null
          ? await analyzeOverTime(inputs, options)
          : { profile: await readProfile(profile), timeline: null };
      if (side.profile.meta.weight === 'calls') throw noTimes(name);
      return side;
    };
    const [old, now] = [await sideOf(before), await sideOf(after)];
    return {
      comparison: compareProfiles(old.profile, now.profile),
      look: { title: `${before.name} → ${after.name}`, widthOf: 'larger' },
      strips: stripsOfBoth(old.timeline, now.timeline),
    };
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

function noTimes(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} has no times, only calls, and times are compared`, {
    hint: 'show each of them by itself',
  });
}

/** What the page draws. */
function drawnOf(shown: Shown, takesBinaries: boolean): Pick<EngineReport, 'head' | 'data' | 'timeline' | 'blocked'> {
  if ('comparison' in shown) {
    const { comparison, look, strips } = shown;
    const data = copied(comparedData(comparison));
    return { head: comparedHead(comparison, look), data, timeline: copied(strips), blocked: null };
  }
  const { profile, waits, timeline, blocked = null } = shown;
  const meta = { ...profile.meta, takesBinaries };
  return {
    head: reportHead({ ...profile, meta }),
    ...copied(pageDataOf(profile, waits, null, blocked)),
    timeline: copied(timeline),
  };
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

/** Returns plain data with columns of its own, to be moved: files are written of what the engine keeps. */
function copied<Value>(value: Value): Value {
  if (ArrayBuffer.isView(value)) return (value as unknown as Uint8Array).slice() as Value;
  if (Array.isArray(value)) return value.map(copied) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, copied(own)])) as Value;
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
