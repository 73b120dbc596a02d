/**
 * Compares the JSON reader with JSON.parse: it reads the same values and refuses the same texts.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonValue, LIMITS, parseJson } from '../../src/profile-file/json-reader.js';
import { times } from '../helpers/random/times.js';

/** Columns as lists, like JSON.parse returns them. */
function plain(value: JsonValue): unknown {
  if (value instanceof Float64Array) return Array.from(value, (number) => (Number.isNaN(number) ? null : number));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

const read = (text: string) => plain(parseJson(Buffer.from(text)));

test('reads any value like JSON.parse, whatever the whitespace', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('', ' ', '\t', '\n  '), (value, indent) => {
      const text = JSON.stringify([value], null, indent);
      expect(read(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

test('reads any number to its last bit', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.maxSafeInteger())), (numbers) => {
      const text = JSON.stringify(numbers);
      expect(read(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('reads or refuses any text like JSON.parse', () => {
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
    { numRuns: times(20_000) },
  );
});

test('refuses more numbers than a tree can have, and more values than a profile, before it has read them all', () => {
  expect(LIMITS).toEqual({ numbers: 2 ** 26, values: 2 ** 24 }); // 512 MB of numbers
  const few = { numbers: 4, values: 4 };
  const tooLarge = expect.objectContaining({ code: 'too-large' });
  expect(plain(parseJson(Buffer.from('[0,0,0,0]'), few))).toEqual([0, 0, 0, 0]);
  expect(() => parseJson(Buffer.from('[0,0,0,0,0,'), few)).toThrow(tooLarge);
  expect(plain(parseJson(Buffer.from('[[],[],[]]'), few))).toEqual([[], [], []]);
  expect(() => parseJson(Buffer.from('[[],[],[],[],'), few)).toThrow(tooLarge);
});

function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
}

test('reads lists of numbers as columns, with NaN for null', () => {
  expect(parseJson(Buffer.from('[1, null,-2.5e3 ]'))).toEqual(Float64Array.of(1, Number.NaN, -2500));
  expect(parseJson(Buffer.from('[1,null,"a"]'))).toEqual([1, null, 'a']);
  expect(parseJson(Buffer.from('[]'))).toEqual([]);
});
