/**
 * Tables for the terminal: alignment, widths, and what many rows cost.
 */
import { expect, test } from 'vitest';
import { type TableColumn, tableLines } from '../../../cli/terminal/table.js';

interface Row {
  readonly count: number;
  readonly name: string;
}

const COUNT: TableColumn<Row> = { title: 'calls', text: ({ count }) => String(count) };
const options = { name: ({ name }: Row) => name, nameTitle: 'function', width: 80 };

test('numbers are right, names left, wide characters count twice', () => {
  const columns = [
    COUNT,
    { title: 'kind', text: ({ name }: Row) => (name === 'main' ? '関数' : 'µs ≥'), isLeft: true },
  ];
  const rows = [
    { count: 7, name: 'main' },
    { count: 1200, name: 'parse' },
  ];
  expect(tableLines(rows, columns, options)).toEqual([
    'calls  kind  function',
    '    7  関数  main',
    ' 1200  µs ≥  parse',
  ]);
});

test('a name that does not fit ends in an ellipsis, also if it has 16 KB', () => {
  const [, line = ''] = tableLines([{ count: 1, name: 'x'.repeat(16_000) }], [COUNT], { ...options, width: 40 });
  expect(line).toMatch(/^ {4}1 {2}x+…$/);
  expect(line).toHaveLength(40);
});

test('a table may have more rows than a function may have arguments', () => {
  const rows = Array.from({ length: 300_000 }, (_, count) => ({ count, name: 'f' }));
  expect(tableLines(rows, [COUNT], options)).toHaveLength(300_001);
});
