/**
 * The reader of JSON against JSON.parse: the same values of the same texts, and the same texts refused.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonValue, parseJson } from '../../src/profile-file/json-reader.js';

/** Columns as JSON.parse has them. */
function plain(value: JsonValue): unknown {
  if (value instanceof Float64Array) return Array.from(value, (number) => (Number.isNaN(number) ? null : number));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

const read = (text: string) => plain(parseJson(Buffer.from(text)));

test('any value is read as JSON.parse reads it, however it is laid out', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('', ' ', '\t', '\n  '), (value, indent) => {
      const text = JSON.stringify([value], null, indent);
      expect(read(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

test('any number is read to its last bit', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.maxSafeInteger())), (numbers) => {
      const text = JSON.stringify(numbers);
      expect(read(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('any text of JSON characters is read or refused as JSON.parse does', () => {
  const token = fc.constantFrom(
    ...'[]{},:" \\u0012e+-.',
    'null',
    'true',
    'false',
    '"a":',
    '1',
    '-0',
    '1e400',
    '\\n',
    '€',
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
      const text = `[${tokens.join('')}]`;
      expect(outcome(() => read(text))).toEqual(outcome(() => JSON.parse(text)));
    }),
    { numRuns: 20_000 },
  );
});

function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
}

test('numbers alone are a column, and nulls among them are NaN', () => {
  expect(parseJson(Buffer.from('[1, null,-2.5e3 ]'))).toEqual(Float64Array.of(1, Number.NaN, -2500));
  expect(parseJson(Buffer.from('[1,null,"a"]'))).toEqual([1, null, 'a']);
  expect(parseJson(Buffer.from('[]'))).toEqual([]);
});
