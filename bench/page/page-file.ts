/**
 * Writes the page of a profile and measures what its bytes consist of.
 */
import { writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import type { Profile } from '../../src/index.js';
import { renderHtml } from '../../src/page.js';

export interface PageFile {
  readonly bytes: number;
  /** Everything except the data. */
  readonly shellBytes: number;
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

export function writePage(profile: Profile, path: string): PageFile {
  const began = performance.now();
  const text = [...renderHtml(profile)].join('');
  const writeSeconds = (performance.now() - began) / 1000;
  writeFileSync(path, text);
  return {
    bytes: Buffer.byteLength(text),
    shellBytes: Buffer.byteLength(text) - dataBytes(text),
    nameBytes: nameBytes(profile),
    durationBytes: dataBytes(text) - dataBytes([...renderHtml(withoutDurations(profile))].join('')),
    nodes: profile.threads.reduce((sum, { tree }) => sum + tree.length, 0),
    threads: profile.threads.length,
    functions: profile.symbols.length,
    writeSeconds,
  };
}

const DATA = /<script type="application\/octet-stream" id="data">([^<]*)<\/script>/;

/** As encoded in the page. */
function dataBytes(text: string): number {
  const [, data] = DATA.exec(text) ?? [];
  if (data === undefined) throw new Error('the page has no data');
  return data.length;
}

function nameBytes({ symbols }: Profile): number {
  const deflated = deflateRawSync(JSON.stringify([symbols.name, symbols.dsoName]), { level: 9 });
  return deflated.toString('base64').length;
}

function withoutDurations(profile: Profile): Profile {
  return { ...profile, threads: profile.threads.map((thread) => ({ ...thread, durations: null })) };
}
