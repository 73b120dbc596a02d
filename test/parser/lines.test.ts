/**
 * Splitting a stream of bytes into whole lines, wherever it was cut.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineCutter, MAX_LINE_BYTES } from '../../src/parser/lines/lines.js';

interface CutStream {
  /** The output for each piece of input. */
  readonly pieces: string[];
  readonly rest: string;
  readonly overlong: number;
}

function cutAll(pieces: readonly string[]): CutStream {
  const cutter = new LineCutter();
  const whole = pieces.map((piece) => text(Buffer.concat(cutter.cut(Buffer.from(piece, 'latin1')))));
  return { pieces: whole, rest: text(cutter.rest()), overlong: cutter.takeOverlong() };
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

describe('returns lines as soon as they are complete', () => {
  test.each([
    ['no input', [], [], ''],
    ['one piece', ['a\nb\n'], ['a\nb\n'], ''],
    ['a line in two pieces', ['a', 'b\n'], ['', 'ab\n'], ''],
    ['a line in many pieces', ['a', 'b', '', 'c', '\n'], ['', '', '', '', 'abc\n'], ''],
    ['the end of a line and the beginning of the next', ['a\nb', 'c\nd'], ['a\n', 'bc\n'], 'd'],
    ['empty lines', ['\n', '\n\n'], ['\n', '\n\n'], ''],
    ['a line end cut in the middle', ['a\r', '\nb'], ['', 'a\r\n'], 'b'],
    ['no line end', ['abc'], [''], 'abc'],
    ['bytes that are not text', ['\x00\xff', '\xfe\n'], ['', '\x00\xff\xfe\n'], ''],
  ])('%s', (_, pieces, expected, rest) => {
    expect(cutAll(pieces)).toEqual({ pieces: expected, rest, overlong: 0 });
  });

  test('loses nothing, wherever the stream is cut', () => {
    const unit = fc.constantFrom('a', 'b', '\n', '\r', ' ');
    const pieces = fc.array(fc.string({ unit, maxLength: 8 }), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, (parts) => {
        const { pieces: out, rest } = cutAll(parts);
        expect(out.join('') + rest).toBe(parts.join(''));
        expect(rest).not.toContain('\n');
        for (const piece of out) expect(piece === '' || piece.endsWith('\n')).toBe(true);
      }),
    );
  });
});

describe('drops and counts lines that are too long', () => {
  const half = 'x'.repeat(MAX_LINE_BYTES / 2);

  test('keeps what comes before and after', () => {
    const { pieces, rest, overlong } = cutAll([`a\n${half}`, half, 'x', half, 'tail\nb\nc']);
    expect(pieces).toEqual(['a\n', '', '', '', 'b\n']);
    expect({ rest, overlong }).toEqual({ rest: 'c', overlong: 1 });
  });

  test('keeps a line of exactly the maximum length', () => {
    expect(cutAll([half, half, '\n'])).toEqual({ pieces: ['', '', `${half}${half}\n`], rest: '', overlong: 0 });
  });

  test('counts two in a row as two', () => {
    expect(cutAll([half, half, 'x', `\n${half}`, half, 'x', '\nend\n']).overlong).toBe(2);
  });

  test('keeps nothing of one at the end of the stream', () => {
    expect(cutAll([half, half, 'x'])).toMatchObject({ rest: '', overlong: 1 });
  });

  test('returns one that arrives complete, for the line reader to reject', () => {
    expect(cutAll([`${half}${half}x\n`])).toMatchObject({ pieces: [`${half}${half}x\n`], overlong: 0 });
  });

  test('reports each once', () => {
    const cutter = new LineCutter();
    cutter.cut(Buffer.from(half + half + half));
    expect([cutter.takeOverlong(), cutter.takeOverlong()]).toEqual([1, 0]);
  });
});

test('allows the caller to reuse its bytes', () => {
  const cutter = new LineCutter();
  const buffer = Buffer.from('first');
  cutter.cut(buffer);
  buffer.fill('?');
  expect(text(Buffer.concat(cutter.cut(Buffer.from('\n'))))).toBe('first\n');
});
