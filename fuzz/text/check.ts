/**
 * Checks one case; throws an error that states which promise was broken.
 */
import assert from 'node:assert/strict';
import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { analyze } from '../../src/pipeline/analyze.js';
import { traceStream } from '../../src/pipeline/open-text.js';
import { type FoldedOptions, renderFolded } from '../../src/render/folded.js';
import { checkFolded } from '../checks/check-folded.js';
import { checkParser, countLines } from '../checks/check-parser.js';
import { checkProfile } from '../checks/check-profile.js';
import type { FuzzCase } from './cases.js';
import { orderMatters } from './order-matters.js';

/** First bytes of input that is not plain text. How much of a broken archive is read depends on its pieces. */
const OTHER_KINDS = ['\x1f\x8b', 'PERFILE2', '2ELIFREP', '\x28\xb5\x2f\xfd', '\xfd7zXZ', 'BZh', 'PK\x03\x04'];

const MAX_PIECES = 1000;
const MAX_TEXT = 2 ** 25;
const ONE_PIECE = Number.MAX_SAFE_INTEGER;

type Part = readonly [name: string, bytes: Buffer];

/** Returns the time that the parser alone took. */
export async function checkCase(fuzzCase: FuzzCase): Promise<{ readonly parserMs: number }> {
  const { bytes } = fuzzCase;
  const pieceBytes = Math.max(fuzzCase.pieceBytes, Math.ceil(bytes.length / MAX_PIECES));
  const start = performance.now();
  checkParser(bytes, pieceBytes);
  const parserMs = performance.now() - start;
  const whole = await outcome(fuzzCase, [['a', bytes]], ONE_PIECE);
  const inPieces = await outcome(fuzzCase, [['a', bytes]], pieceBytes);
  if (isText(bytes)) assert.equal(inPieces, whole, 'the size of the pieces changes the result');
  await checkOrder(fuzzCase);
  return { parserMs };
}

async function checkOrder(fuzzCase: FuzzCase): Promise<void> {
  const { bytes, cutAt } = fuzzCase;
  if (!isText(bytes) || orderMatters(bytes)) return;
  const middle = bytes.indexOf(10, bytes.length * cutAt) + 1;
  const a: Part = ['a', bytes.subarray(0, middle)];
  const b: Part = ['b', bytes.subarray(middle)];
  const inOrder = await outcome(fuzzCase, [a, b], ONE_PIECE);
  const reversed = await outcome(fuzzCase, [b, a], ONE_PIECE);
  assert.equal(reversed, inOrder, 'the order of the inputs changes the result');
}

/** Everything that a user can see of the result, as text. */
async function outcome({ analyze: options, fold }: FuzzCase, parts: readonly Part[], pieceBytes: number) {
  const profile = await profileOrError(parts, options, pieceBytes);
  if (profile instanceof PtflameError) return `rejected: ${profile.code}`;
  if (parts.every(([, bytes]) => isText(bytes)))
    assert.equal(
      profile.quality.lines,
      parts.reduce((sum, [, bytes]) => sum + countLines(bytes), 0),
      'total lines',
    );
  checkProfile(profile);
  const text = foldedText(profile, fold);
  if (text !== null) checkFolded(text, profile, fold);
  return `${text}\n${JSON.stringify(withPerfTimes(profile))}`;
}

/** null: too long to check, which long names in deep stacks cause. */
function foldedText(profile: Profile, options: FoldedOptions): string | null {
  const lines: string[] = [];
  let length = 0;
  for (const line of renderFolded(profile, options)) {
    if ((length += line.length) > MAX_TEXT) return null;
    lines.push(line);
  }
  return lines.join('');
}

/** Time 0 is in the input that was read first, so gaps are converted to perf's clock, which is the same for all. */
function withPerfTimes({ meta, quality }: Profile): unknown {
  const gaps = quality.gaps.map((gap) => ({ ...gap, atNs: String(BigInt(gap.atNs) + meta.originNs) }));
  return { ...quality, gaps };
}

async function profileOrError(parts: readonly Part[], options: FuzzCase['analyze'], pieceBytes: number) {
  const inputs = parts.map(([name, bytes]) => traceStream(name, pieces(bytes, pieceBytes)));
  try {
    return await analyze(inputs, options);
  } catch (error) {
    if (error instanceof PtflameError) return error;
    throw error;
  }
}

async function* pieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function isText(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 8);
  return !OTHER_KINDS.some((magic) => start.startsWith(magic));
}
