/**
 * Recognizes files by their content: those with a trace, and those from which none can be read, with what they are good for.
 */
import { latin1Text } from '../codec/bytes.js';
import { isPack, isRecording, MANIFEST } from '../perfdata/recognize.js';
import { shellWords } from '../render/visible-text.js';
import { isTraceFile } from '../trace/file/format.js';

/** A recording, a pack, an imported trace; anything else may be text, also compressed. */
export type InputFileKind = 'recording' | 'pack' | 'stored' | 'text';

/** `first`: the first 4 KiB of a file. */
export function kindOfInput(first: Uint8Array): InputFileKind {
  if (isRecording(first)) return 'recording';
  if (isPack(first)) return 'pack';
  return isTraceFile(first) ? 'stored' : 'text';
}

export interface OtherKind {
  /** "a picture that ptflame drew". */
  readonly what: string;
  /** What to do instead. */
  readonly hint: string;
}

/** How much of a file, decompressed, tells what it is. */
export const KIND_BYTES = 4096;
const MADE_FROM = 'give the recording, trace or profile that it was made from';

/** Returns null for recordings, traces, profiles, and anything that is not known. `isPacked`: gzip compressed the file. */
export function otherKindOf(head: Uint8Array, path: string, isPacked: boolean): OtherKind | null {
  const text = latin1Text(head);
  return text === '' ? null : (ofBytes(text, path, isPacked) ?? ofText(text));
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
  if (text.startsWith('ustar', TAR_MAGIC_AT) && !text.startsWith(MANIFEST))
    return { what: 'an archive (tar) that ptflame pack did not make', hint: 'unpack it, and give the recording in it' };
  if (!isBinary(text)) return null;
  if (isPacked && (text.includes('nanoseconds') || PPROF_HEADS.some((head) => text.startsWith(head))))
    return { what: 'a profile for pprof', hint: `go tool pprof -http=: ${shellWords([path])} shows it; ${MADE_FROM}` };
  if (isPackets(text))
    return { what: 'a trace for Perfetto', hint: `open it at https://ui.perfetto.dev; ${MADE_FROM}` };
  return null;
}

const TAR_MAGIC_AT = 257;

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
