/**
 * The engine: opens what was dropped, analyzes it as `ptflame render -o out.html` does, and writes files of it.
 */
import { joined } from '../../codec/bytes.js';
import { PtflameError } from '../../model/errors.js';
import { analyzeForPage, type PageContents } from '../../page/contents/analyze-for-page.js';
import { timelinePieces } from '../../page/data/timeline-write.js';
import { pageDataPieces } from '../../page/data/write.js';
import { renderHtmlInParallel, reportHead } from '../../page/html.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import { importTrace } from '../../pipeline/import-trace.js';
import { readProfile } from '../../pipeline/profile/read-profile.js';
import type { Progress } from '../../pipeline/read/trace-builder.js';
import { renderJson } from '../../profile-file/write.js';
import { renderFoldedBytes } from '../../render/folded.js';
import { renderSvg } from '../../render/svg/svg.js';
import type { Answer, EngineProgress, Failure, OpenOptions, OutputFormat, Request } from '../messages.js';
import { openDropped } from './open.js';
import { NeedsBinaries, type Opened } from './opened.js';
import { setCode } from './start-workers.js';

/** As `ptflame render` has it: 4M, as bytes in base64. */
const TIMELINE_BYTES = (4 * 2 ** 20 * 3) / 4;
/** More would only be work. */
const PROGRESS_EVERY_MS = 50;

export class Engine {
  private readonly answer: (answer: Answer, moved?: ArrayBuffer[]) => void;
  private files: readonly File[] = [];
  private options!: OpenOptions; // set by `open`, which comes first
  private contents!: PageContents;
  private name = '';
  private toldMs = 0;

  constructor(answer: (answer: Answer, moved?: ArrayBuffer[]) => void) {
    this.answer = answer;
  }

  async receive(request: Request): Promise<void> {
    try {
      if (request.kind === 'begin') setCode(request.code);
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
    this.name = opened.name;
    this.contents = await this.analyzed(opened);
    const { profile, waits, timeline } = this.contents;
    this.tell({ phase: 'write', done: 0, of: null });
    const data = copied(pageDataPieces(profile, waits));
    const times = timeline && copied(timelinePieces(timeline));
    const report = {
      head: reportHead(profile),
      data,
      timeline: times,
      formats: formatsOf(opened),
      notes: opened.notes,
    };
    this.answer({ kind: 'report', report }, [data.buffer, ...(times ? [times.buffer] : [])]);
  }

  private opened(): Promise<Opened> {
    return openDropped(this.files, this.options, (progress) => this.tell(progress));
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

  /** How many workers there are, and what is told of their work. */
  private working(inputs: Opened['inputs']): Pick<AnalyzeOptions, 'jobs' | 'onProgress'> {
    const sizes = inputs.map(({ sizeBytes }) => sizeBytes ?? null);
    const of = sizes.reduce<number | null>((sum, size) => (sum === null || size === null ? null : sum + size), 0);
    return { jobs: this.options.jobs, onProgress: (at) => this.tell(progressOf(at, of)) };
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

  private async written(format: OutputFormat): Promise<Blob> {
    const { profile, waits, timeline } = this.contents;
    switch (format) {
      case 'html':
        return asBlob(renderHtmlInParallel(profile, {}, { waits, timeline }), 'text/html');
      case 'folded':
        return asBlob(renderFoldedBytes(profile), 'text/plain');
      case 'svg':
        return asBlob(renderSvg(profile), 'image/svg+xml');
      case 'json':
        return asBlob(renderJson(profile), 'application/json');
      case 'ptf':
        return this.imported();
    }
  }

  /** Reads the trace again: it is not kept. */
  private async imported(): Promise<Blob> {
    const { inputs } = await this.opened();
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

function progressOf(progress: Progress, of: number | null): EngineProgress {
  if (progress.phase === 'read') return { phase: 'read', done: progress.bytes, of };
  return { phase: progress.phase, done: progress.threads, of: progress.ofThreads };
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

/** A piece is valid only until the next one is made. */
function copied(pieces: Iterable<Uint8Array>): Uint8Array<ArrayBuffer> {
  return joined(Array.from(pieces, (piece) => piece.slice()));
}

function formatsOf({ profile }: Opened): readonly OutputFormat[] {
  return profile === null ? ['html', 'ptf', 'folded', 'svg', 'json'] : ['html', 'folded', 'svg', 'json'];
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
