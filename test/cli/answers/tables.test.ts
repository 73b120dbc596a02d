/**
 * Tables match golden files on narrow and wide terminals, also with unusual names.
 *
 * `BLESS=1 npx vitest run test/cli/answers/tables.test.ts` rewrites the files; a changed one is reviewed like code.
 */
import { readFile, writeFile } from 'node:fs/promises';
import stringWidth from 'string-width';
import { describe, expect } from 'vitest';
import { fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { strangeTrace } from '../../helpers/traces/strange-names.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');

const TABLES: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['report', ['report', DEMO, '--top', '15']],
  ['report-threads', ['report', DEMO, '--top', '5', '--by', 'thread', '--sort', 'self']],
  ['latency', ['latency', 'take', DEMO, '--slowest', '2']],
  ['latency-by-caller', ['latency', '__GI___pthread_mutex_unlock_usercnt', DEMO, '--by', 'caller', '--top', '3']],
  ['latency-several', ['latency', '/^(take|nap)$/', DEMO, '--latency', '100us,']],
  ['latency-never-complete', ['latency', 'main', DEMO]],
  ['latency-of-stops', ['latency', '[syscall]', DEMO, '--top', '4']],
  ['stacks', ['stacks', DEMO, '--at', '+700us']],
  ['diff', ['diff', DEMO, fixturePath('lab/demo-cre.txt'), '--top', '12']],
];

async function compare(file: string, text: string): Promise<void> {
  const path = new URL(`../../golden/tables/${file}`, import.meta.url);
  if (process.env['BLESS']) await writeFile(path, text);
  expect(text).toBe(await readFile(path, 'utf8'));
}

function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => stringWidth(line)));
}

test('in a pipe, rows have up to 160 columns, numbers first and names last', async () => {
  const { stdout } = await ptflame(['report', DEMO, '--quiet'], { env: { COLUMNS: '' } });
  const [titles = '', ...rows] = stdout
    .split('\n')
    .slice(stdout.split('\n').findIndex((line) => line.includes('total ')));
  expect(titles).toMatch(/^ +total +% +self .* function$/);
  expect(rows[0]).toMatch(/^ *\d.* {2}\S+$/);
  expect(widest([titles, ...rows].join('\n'))).toBeLessThanOrEqual(160);
  expect(widest(titles)).toBeGreaterThan(80);
});

describe.concurrent.each([80, 200])('on %i columns', (columns) => {
  test.each(TABLES)('%s', async (name, args) => {
    const { stdout, exitCode } = await ptflame([...args, '--quiet'], { env: { COLUMNS: String(columns) } });
    expect(exitCode).toBe(0);
    expect(widest(stdout)).toBeLessThanOrEqual(columns);
    await compare(`${name}-${columns}.txt`, stdout);
  });

  test.each(['waits', 'locks', 'info'])('%s fits, also in its messages', async (command) => {
    const { stdout, stderr } = await ptflame([command, DEMO], { env: { COLUMNS: String(columns) } });
    expect(widest(stdout + stderr)).toBeLessThanOrEqual(columns);
  });

  test('keeps unusual names in their column, with control characters escaped', async ({ dir }) => {
    const trace = await dir.write('trace.txt', strangeTrace());
    const { stdout } = await ptflame(['report', trace, '--quiet'], { env: { COLUMNS: String(columns) } });
    await compare(`strange-${columns}.txt`, stdout);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    const rows = stdout.split('\n').slice(0, -1);
    expect(rows.length).toBeGreaterThan(8);
    for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(columns);
  });
});
