/**
 * Compact numbers and texts: all of them are read back, and invalid bytes throw a fault.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileFault } from '../../src/codec/file-fault.js';
import { type ByteOrder, NumberReader, NumberWriter } from '../../src/codec/numbers.js';

const NUMBER = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.integer(),
  fc.nat(300),
  fc.constantFrom(-0, 2 ** 51, -(2 ** 51), 2 ** 53, 2 ** 31, 2 ** 30, Number.POSITIVE_INFINITY),
);
const readerOf = (writer: NumberWriter, order?: ByteOrder) => new NumberReader(writer.view(), 'a file', order);

describe.each(['little-endian', 'big-endian'] as const)('%s', (order) => {
  test('reads back any number, whatever its guess', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(NUMBER, NUMBER)), (pairs) => {
        const writer = new NumberWriter(order);
        for (const [value, guess] of pairs) writer.near(value, guess);
        const reader = readerOf(writer, order);
        for (const [value, guess] of pairs) expect(reader.near(guess)).toBe(value);
        reader.end();
      }),
      { numRuns: 1000 },
    );
  });

  test('reads back any column with its guesses, except the sign of zero', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(NUMBER, NUMBER)), (pairs) => {
        const [values, guesses] = [0, 1].map((at) => Float64Array.from(pairs, (pair) => pair[at] + 0));
        const writer = new NumberWriter(order);
        writer.guessed(values, guesses);
        const reader = readerOf(writer, order);
        expect(reader.guessed(guesses.slice())).toEqual(values);
        reader.end();
      }),
      { numRuns: 1000 },
    );
  });
});

test('reads back counts, rows and texts', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ufeffmain', 'größe'));
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.array(fc.nat()), text, (number, rows, text) => {
      const writer = new NumberWriter();
      writer.count(Math.abs(number));
      writer.rows(Int32Array.from(rows));
      writer.text(text);
      const reader = readerOf(writer);
      expect(reader.count()).toBe(Math.abs(number));
      expect([...reader.rows(rows.length, 2 ** 31)]).toEqual(rows);
      expect(reader.text()).toBe(text);
      reader.end();
    }),
  );
});

describe('damage', () => {
  const reading = (bytes: readonly number[], read: (reader: NumberReader) => unknown) => () =>
    read(new NumberReader(Uint8Array.from(bytes), 'its index'));

  test.each([
    ['no bytes', [], (reader: NumberReader) => reader.count(), 'its index ends in the middle'],
    ['a number that is cut', [0x80, 0x80], (reader: NumberReader) => reader.count(), 'its index ends in the middle'],
    ['eight bytes that are cut', [0, 1, 2], (reader: NumberReader) => reader.near(5), 'its index ends in the middle'],
    ['a number of nine digits', Array(9).fill(0x80), (reader: NumberReader) => reader.count(), 'does not end'],
    ['a length without its bytes', [5, 1], (reader: NumberReader) => reader.length(), 'has the impossible number 5'],
    ['fewer rows than asked for', [1], (reader: NumberReader) => reader.rows(2, 9), 'its index ends in the middle'],
    ['a row after the last', [19], (reader: NumberReader) => reader.rows(1, 9), 'has the impossible number 9'],
    ['bytes after the end', [1], (reader: NumberReader) => reader.end(), 'its index continues after its end'],
  ] as const)('reports %s', (_, bytes, read, message) => {
    expect(reading(bytes, read)).toThrow(FileFault);
    expect(reading(bytes, read)).toThrow(message);
  });
});
