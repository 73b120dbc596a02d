/**
 * Answers in files: lists are written by element, and the bytes are those of the whole.
 */
import { stringify } from 'csv-stringify/sync';
import { expect } from 'vitest';
import { openAnswer } from '../../../cli/output/answer.js';
import { test } from '../../helpers/cli/run-cli.js';

async function written(path: string, json: () => object, rows: readonly (readonly (string | number)[])[] = []) {
  const options = { json: false, csv: false, output: [path], quiet: true };
  await (await openAnswer(options, [])).write({ json, text: () => [], csv: () => rows });
}

test('JSON with lists that are made while they are written is that of JSON.stringify', async ({ dir }) => {
  const long = Array.from({ length: 300 }, (_, at) => ({ at, text: 'a\nb' }));
  const answer = {
    name: 'a\nb',
    absent: undefined,
    none: null,
    empty: [],
    nested: { list: [1, { two: [] }], text: '\u0085' },
    list: [
      { a: [1, 2], b: undefined },
      undefined,
      'x\ny',
      [],
      { deep: { long, absent: undefined, '\u0085': 1 }, long },
    ],
    long,
    last: {},
  };
  await written(dir.file('whole.json'), () => answer);
  const list = function* () {
    yield* answer.list;
  };
  await written(dir.file('parts.json'), () => ({ ...answer, list: list() }));
  const text = await dir.read('whole.json');
  expect(text).toBe(`${JSON.stringify(answer, null, 2).replaceAll('\u0085', '\\u0085')}\n`);
  expect(await dir.read('parts.json')).toBe(text);
  await written(dir.file('nothing.json'), () => ({}));
  expect(await dir.read('nothing.json')).toBe('{}\n');
});

test('CSV of many rows has each row once', async ({ dir }) => {
  for (const count of [0, 1, 499, 500, 501, 1000]) {
    const rows = Array.from({ length: count }, (_, at) => [at, `=row ${at}`]);
    await written(dir.file('rows.csv'), () => ({}), rows);
    expect(await dir.read('rows.csv')).toBe(stringify(rows, { escape_formulas: true }));
  }
});
