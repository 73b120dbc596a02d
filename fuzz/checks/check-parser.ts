/**
 * Feeds bytes to the parser alone, and checks that it never throws and counts every line.
 */
import assert from 'node:assert/strict';
import type { LineCounts } from '../../src/model/profile/profile.js';
import { LineCutter } from '../../src/parser/lines/lines.js';
import { TraceContext } from '../../src/parser/trace-context.js';
import { TraceParser } from '../../src/parser/trace-parser.js';

export function checkParser(bytes: Buffer, pieceBytes: number): void {
  const parser = new TraceParser(new TraceContext(), 'fuzz');
  const cutter = new LineCutter();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const lines of cutter.cut(bytes.subarray(at, at + pieceBytes))) parser.parse(lines);
    parser.addOverlong(cutter.takeOverlong());
  }
  parser.finish(cutter.rest());
  expectEveryLineCounted(parser.counts);
  assert.equal(parser.counts.lines, countLines(bytes), 'counted lines');
  for (const { line } of parser.damaged)
    assert(line >= 1 && line <= parser.counts.lines, `line ${line} does not exist`);
}

export function expectEveryLineCounted({
  lines,
  events,
  gapLines,
  ignoredLines,
  damagedLines,
}: Readonly<LineCounts>): void {
  assert.equal(
    events + gapLines + ignoredLines + damagedLines,
    lines,
    'each line is in exactly one of the four counts',
  );
  for (const count of [lines, events, gapLines, ignoredLines, damagedLines]) assert(count >= 0, 'a negative count');
}

/** The last line may lack its newline. */
export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
  return bytes.length > 0 && bytes.at(-1) !== 10 ? lines + 1 : lines;
}
