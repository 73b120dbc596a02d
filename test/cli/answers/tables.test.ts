/**
 * Tables match golden files on narrow and wide terminals, also with unusual names.
 *
 * `BLESS=1 npx vitest run test/cli/answers/tables.test.ts` rewrites the files; a changed one is reviewed like code.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
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

/** Acts on a terminal: sets a colour, rings, and turns what follows round. */
const ACTING = 'e\x1b[31mv\x07\u202e\u2066';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
const ACTS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\p{Bidi_Control}]/u;

/** A thread, a function and a file of that name. */
function actingTrace(): string {
  const lines = Array.from({ length: 20 }, (_, at) => {
    const head = (ns: number) => `${ACTING} 100/200 [000] 1000.${String(ns).padStart(9, '0')}: `;
    const names = [`${ACTING}+0x0 (/x/${ACTING})`, 'main'] as const;
    return [
      `${head(200 * at + 100)}call 400004 ${names[1]}+0x4 => 500000 ${names[0]}`,
      `${head(200 * at + 200)}return 500010 ${names[0].replace('+0x0', '+0x10')} => 400009 ${names[1]}+0x9`,
    ];
  });
  return `${lines.flat().join('\n')}\n`;
}

/** Only the names of threads are changed, also in samples of switches. */
async function actingWaits(name: string): Promise<string> {
  const text = gunzipSync(await readFile(fixturePath(`waits/${name}.txt.gz`))).toString('latin1');
  const renamed = /\b(?:waitlab|customer|teller|swapper|session|worker|clerk)(?=\d* +\d+ \[)|(?<=comm=)[a-z]+/g;
  return Buffer.from(text, 'latin1').toString().replaceAll(renamed, ACTING);
}

describe.concurrent('names act on no terminal', () => {
  test.for([
    'report T --by thread --interrupts',
    'report T --by thread --csv',
    'latency /e/ T --slowest 2 --by caller',
    'latency /e/ T --timeline',
    'stacks T --at +500ns',
    'diff T T --per second',
    'info T',
    'render T -o - --format folded --by comm',
    'requests /e/ T --slowest 1',
    'waits T',
    'waits W --slowest 3',
    'locks W --slowest 3',
    'values sched:sched_switch:prev_comm W',
    'info W',
  ])('%s', async (line, { dir }) => {
    await dir.write('T', actingTrace());
    if (line.includes('W')) await dir.write('W', await actingWaits('waits'));
    const { exitCode, stdout, stderr } = await ptflame(line.split(' '), { cwd: dir.path });
    expect(`${stdout}${stderr}`).not.toMatch(ACTS);
    expect(exitCode === 0 ? '' : stderr).toBe('');
    expect(stdout).toContain(line.startsWith('waits T') ? 'not known' : 'e');
  });
});
