/**
 * Writes the page of a profile and measures what its bytes consist of.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import type { Profile } from '../../src/model/profile/profile.js';
import type { PageContents } from '../../src/page/contents/analyze-for-page.js';
import { renderHtml, renderHtmlInParallel } from '../../src/page/html.js';

export interface PageFile {
  readonly bytes: number;
  /** Everything except the data. */
  readonly shellBytes: number;
  /** The timeline. */
  readonly timelineBytes: number;
  /** Names of functions and files, compressed separately. */
  readonly nameBytes: number;
  /** Durations of calls by function. */
  readonly durationBytes: number;
  /** (thread, path) pairs. */
  readonly nodes: number;
  readonly threads: number;
  readonly functions: number;
  readonly writeSeconds: number;
}

export type BenchPage = Pick<PageContents, 'profile' | 'timeline'>;

/** Writes pages: this build, or another one. */
export type PageWriter = typeof renderHtmlInParallel;

/** `directory`: of the build, `dist`. */
export async function writerOf(directory: string): Promise<PageWriter> {
  const path = pathToFileURL(resolve(directory, 'src/page/html.js')).href;
  return ((await import(path)) as { readonly renderHtmlInParallel: PageWriter }).renderHtmlInParallel;
}

export async function writeOtherPage(write: PageWriter, { profile, timeline }: BenchPage, path: string): Promise<void> {
  let text = '';
  for await (const part of write(profile, {}, { timeline })) text += part;
  writeFileSync(path, text);
}

export async function writePage({ profile, timeline }: BenchPage, path: string): Promise<PageFile> {
  const began = performance.now();
  let text = '';
  for await (const part of renderHtmlInParallel(profile, {}, { timeline })) text += part;
  const writeSeconds = (performance.now() - began) / 1000;
  writeFileSync(path, text);
  const timelineBytes = timeline === null ? 0 : blockBytes(text, 'timeline');
  const ownBytes = blockBytes(text, 'data');
  return {
    bytes: Buffer.byteLength(text),
    shellBytes: Buffer.byteLength(text) - ownBytes - timelineBytes,
    timelineBytes,
    nameBytes: nameBytes(profile),
    durationBytes: ownBytes - blockBytes([...renderHtml(withoutDurations(profile))].join(''), 'data'),
    nodes: profile.threads.reduce((sum, { tree }) => sum + tree.length, 0),
    threads: profile.threads.length,
    functions: profile.symbols.length,
    writeSeconds,
  };
}

/** As encoded in the page. */
function blockBytes(text: string, id: string): number {
  const [, data] = new RegExp(`<script type="application/octet-stream" id="${id}">([^<]*)</script>`).exec(text) ?? [];
  if (data === undefined) throw new Error(`the page has no ${id}`);
  return data.length;
}

function nameBytes({ symbols }: Profile): number {
  const deflated = deflateRawSync(JSON.stringify([symbols.name, symbols.dsoName]), { level: 9 });
  return deflated.toString('base64').length;
}

function withoutDurations(profile: Profile): Profile {
  return { ...profile, threads: profile.threads.map((thread) => ({ ...thread, durations: null })) };
}
