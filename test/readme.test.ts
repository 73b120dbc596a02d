/**
 * The examples of the README and of docs/library.md run with the results that they show.
 */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { fixture } from './helpers/traces/load.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

async function codeBlocks(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  return [...text.matchAll(/```(\w+)\n(.*?)```/gs)].filter((match) => match[1] === language).map((match) => match[2]);
}

/** Runs the examples of a page in order with the package installed, then calls `check` with their directory and output. */
async function runExamples(page: string, check: (dir: string, stdout: string) => Promise<void>): Promise<void> {
  const blocks = await codeBlocks(page, 'ts');
  expect(blocks.length).toBeGreaterThan(0);
  const dir = await mkdtemp(join(tmpdir(), 'ptflame-readme-'));
  try {
    await mkdir(join(dir, 'node_modules'));
    await symlink(ROOT, join(dir, 'node_modules', 'ptflame'));
    await writeFile(join(dir, 'trace.txt'), fixture('hardware/mysql-cr-target-fields.txt'));
    await writeFile(join(dir, 'example.mjs'), blocks.join('\n')); // later examples use variables of earlier ones
    const { exitCode, stdout, stderr } = await execa(process.execPath, ['example.mjs'], { cwd: dir, reject: false });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    await check(dir, stdout);
  } finally {
    await rm(dir, { recursive: true });
  }
}

test('says how large DuckDB is, which is installed apart', async () => {
  for (const page of ['README.md', 'docs/fleet.md'])
    expect(await readFile(join(ROOT, page), 'utf8')).toMatch(/DuckDB, which is [^.]*\(71 MB\)/);
});

test('runs the examples of the README', async () => {
  await runExamples('README.md', async (_, stdout) => {
    expect(stdout).toMatch(/^mem_heap_block_free:/);
  });
});

test('runs the examples of docs/library.md', async () => {
  await runExamples('docs/library.md', async (_, stdout) => {
    expect(stdout).toContain('mem_heap_block_free');
  });
});

test.for(['README.md', 'docs/library.md'])(
  'examples of %s import what they use of Node, so that they compile',
  async (page) => {
    const code = (await codeBlocks(page, 'ts')).join('\n');
    if (/\bprocess\./.test(code)) expect(code).toContain("import process from 'node:process';");
  },
);

test('renders the six lines of the README as the four that it shows', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const { stdout } = await execa(process.execPath, [
    join(ROOT, 'dist/cli/main.js'),
    'render',
    join(ROOT, 'fixtures/hardware/mysql-cr-target-fields.txt'),
    '--quiet',
  ]);
  expect(readme).toContain(stdout.replace(/^/gm, '    '));
});
