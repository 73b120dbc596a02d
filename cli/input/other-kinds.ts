/**
 * Recognizes files, folders and addresses from which no trace can be read, by their content, and says what they are good for.
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { shellWords } from '../../src/render/visible-text.js';
import { statOrNull } from '../output/refuse-overwriting.js';
import { firstBytes } from './open-sides.js';

export interface OtherKind {
  /** "a picture that ptflame drew". */
  readonly what: string;
  /** What to do instead. */
  readonly hint: string;
}

const HEAD_BYTES = 4096;
const MADE_FROM = 'give the recording, trace or profile that it was made from';

/** @throws PtflameError INPUT_KIND for what is no input of any command that reads traces */
export async function refuseOtherKind(path: string): Promise<void> {
  const other = path === '-' ? null : await otherKind(path);
  if (other !== null) throw new PtflameError('INPUT_KIND', `${path} is ${other.what}`, { hint: other.hint });
}

/** Returns null for recordings, traces, profiles, and anything that is not known. Opens no pipes. */
export async function otherKind(path: string): Promise<OtherKind | null> {
  const stats = statOrNull(path);
  if (stats === null) return address(path) ?? namedLikeOutput(path);
  if (stats.isDirectory()) return isFolderOfTables(path) ? folderOfTables(path) : null;
  const head = stats.isFile() ? await beginning(path, HEAD_BYTES) : { bytes: new Uint8Array(), isPacked: false };
  const text = Buffer.from(head.bytes).toString('latin1');
  return head.bytes.length === 0 ? null : (ofBytes(text, path, head.isPacked) ?? ofText(text));
}

function address(path: string): OtherKind | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return null;
  const command = /^https?:/i.test(path)
    ? shellWords(['curl', '-fLo', basename(path) || 'perf.data', path])
    : 'with the tool that knows such addresses';
  return { what: 'an address, and ptflame reads files', hint: `download the file first, ${command}` };
}

/** `render trace.ptf flame.html`. */
function namedLikeOutput(path: string): OtherKind | null {
  if (!/\.(?:html?|svg|folded|csv|pftrace|parquet|pb\.gz)$/i.test(path)) return null;
  return { what: 'no file that exists', hint: `to write it, put -o before its name: -o ${shellWords([path])}` };
}

/** What `ptflame export` wrote. */
export function isFolderOfTables(path: string): boolean {
  return ['recordings', 'functions', 'paths'].every((table) => existsSync(join(path, table)));
}

function folderOfTables(path: string): OtherKind {
  const name = shellWords([path]);
  return {
    what: 'a folder of tables that ptflame export wrote',
    hint: `ptflame fleet ${name} lists its functions; ptflame merge ${name} -o fleet.html draws them`,
  };
}

/** What a file begins with, decompressed if gzip compressed it; nothing if that fails, as reading it as a trace says why. */
export async function beginning(path: string, length: number): Promise<{ bytes: Uint8Array; isPacked: boolean }> {
  const first = firstBytes(path);
  const isPacked = first[0] === 0x1f && first[1] === 0x8b;
  if (!isPacked && first.length >= length) return { bytes: first.subarray(0, length), isPacked };
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    const { bytes } = await openTraceFile(path);
    for await (const piece of bytes) {
      pieces.push(piece.slice());
      total += piece.length;
      if (total >= length) break;
    }
  } catch {
    if (!isPacked) return { bytes: first, isPacked };
  }
  return { bytes: Buffer.concat(pieces).subarray(0, length), isPacked };
}

/** Control characters that no text has. */
function isBinary(text: string): boolean {
  return [...text].some((character) => {
    const code = character.charCodeAt(0);
    return code < 9 || (code > 13 && code < 27);
  });
}

/** `text`: the bytes as latin1. */
function ofBytes(text: string, path: string, isPacked: boolean): OtherKind | null {
  const found = BY_MAGIC.find(([magics]) => magics.some((magic) => text.startsWith(magic)))?.[1];
  if (found !== undefined) return found;
  if (!isBinary(text)) return null;
  if (isPacked && (text.includes('nanoseconds') || PPROF_HEADS.some((head) => text.startsWith(head))))
    return { what: 'a profile for pprof', hint: `go tool pprof -http=: ${shellWords([path])} shows it; ${MADE_FROM}` };
  if (isPackets(text))
    return { what: 'a trace for Perfetto', hint: `open it at https://ui.perfetto.dev; ${MADE_FROM}` };
  return null;
}

/** A sample type, of two numbers of a byte each, as the first field. */
const PPROF_HEADS = ['\x0a\x04\x08', '\x0a\x02\x08'];

const PROGRAM = {
  what: 'a program or library, not a recording of one',
  hint: 'record it: ptflame record -- ./program; then ptflame render perf.data -o flame.html',
};
const IMAGE = { what: 'an image', hint: MADE_FROM };
const LEVELS = {
  what: 'the levels file of ptflame serve',
  hint: 'give the trace that it was made from: ptflame serve trace.ptf',
};

const BY_MAGIC: readonly (readonly [magics: readonly string[], kind: OtherKind])[] = [
  [['PAR1'], { what: 'a Parquet table, for databases', hint: `DuckDB reads it: docs/parquet.md; ${MADE_FROM}` }],
  [['\x7fELF'], PROGRAM],
  [['\x8fPTL\r\n\x1a\n'], LEVELS],
  [['\x89PNG', '\xff\xd8\xff', 'GIF8'], IMAGE],
  [['%PDF-'], { what: 'a PDF document', hint: MADE_FROM }],
  [['SQLite format 3\0'], { what: 'an SQLite database', hint: MADE_FROM }],
  [
    ['JiTD', 'DTiJ'],
    { what: 'the code that a JIT compiler made, which its recording needs', hint: 'give the recording' },
  ],
];

/** A file of protocol buffers whose messages are all field 1, as traces for Perfetto are: tag, length, message. */
function isPackets(text: string): boolean {
  let at = 0;
  for (let packets = 0; packets < 3; packets++) {
    if (text.charCodeAt(at++) !== 0x0a) return false;
    let [length, shift] = [0, 0];
    for (; text.charCodeAt(at) >= 0x80 && shift < 28; shift += 7) length += (text.charCodeAt(at++) & 0x7f) << shift;
    length += text.charCodeAt(at++) << shift;
    at += length;
    if (at >= text.length) return packets > 0;
  }
  return true;
}

/** The beginning of a line of a trace can be any name: only what no such line begins with decides. */
function ofText(text: string): OtherKind | null {
  const by = (name: string) => ({ what: `${name} that ptflame drew`, hint: `open it in a browser; ${MADE_FROM}` });
  if (/^\s*<!doctype html>\s*</i.test(text) || /^\s*<html[\s>]/i.test(text))
    return /d3-flame-graph|ptflame|default-src 'none'; script-src 'sha256-/i.test(text)
      ? by('a report')
      : { what: 'an HTML page', hint: MADE_FROM };
  if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?(?:<!DOCTYPE svg[^>]*>\s*)?<svg\s/.test(text))
    return /flame graph|calls? over time|ptflame/i.test(text)
      ? by('a picture')
      : { what: 'an SVG picture', hint: MADE_FROM };
  if (/^# callgrind format|^version: 1\ncreator:/.test(text))
    return { what: 'a profile for KCachegrind', hint: `callgrind_annotate shows it; ${MADE_FROM}` };
  const answer = /^\s*\{\s*"format":\s*"ptflame-([a-z-]+)"/.exec(text)?.[1];
  if (answer === 'recording') return { what: 'the notes of a recording', hint: 'give the recording itself' };
  if (answer !== undefined && answer !== 'profile')
    return { what: `an answer that ptflame wrote as JSON (${answer})`, hint: MADE_FROM };
  if (/^\{"resourceSpans"/.test(text))
    return { what: 'requests as spans for OpenTelemetry', hint: `docs/backends.md sends them; ${MADE_FROM}` };
  const lines = text.split('\n').slice(0, -1);
  if (/^[\w.]+(?:,[\w.]+){2,}\r?$/.test(lines[0] ?? ''))
    return { what: 'a table (CSV), for spreadsheets', hint: MADE_FROM };
  return isFolded(lines) ? { what: 'folded stacks', hint: `flamegraph.pl draws them; ${MADE_FROM}` } : null;
}

const MIN_FOLDED_LINES = 3;

/** "main;parse 12": every line ends with numbers, and none has a time or an arrow, as those of traces have. */
function isFolded(lines: readonly string[]): boolean {
  const isStack = (line: string) => /^\S.*\S? -?\d+(?: -?\d+)*$/.test(line) && !/\d\.\d+:|=>/.test(line);
  return lines.length >= MIN_FOLDED_LINES && lines.every(isStack) && lines.some((line) => line.includes(';'));
}
