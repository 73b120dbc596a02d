/**
 * The README's examples do what they say.
 */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { fixture } from './helpers/traces/load.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

async function codeBlocks(language: string): Promise<string[]> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  return [...readme.matchAll(/```(\w+)\n(.*?)```/gs)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] as string);
}

test('the library is used as the README shows it', async () => {
  const blocks = await codeBlocks('ts');
  expect(blocks.length).toBeGreaterThan(0);
  const dir = await mkdtemp(join(tmpdir(), 'ptflame-readme-'));
  try {
    await mkdir(join(dir, 'node_modules'));
    await symlink(ROOT, join(dir, 'node_modules', 'ptflame'));
    await writeFile(join(dir, 'trace.txt'), fixture('hardware/mysql-cr-target-fields.txt'));
    await writeFile(join(dir, 'example.mjs'), blocks.join('\n')); // one goes on where the other ends
    const { exitCode, stderr } = await execa(process.execPath, ['example.mjs'], { cwd: dir, reject: false });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [, heading] = /<h1>(.*?)<\/h1>/.exec(await readFile(join(dir, 'flame.html'), 'utf8')) ?? [];
    expect(heading?.replace(/<[^>]*>/g, '')).toBe('lunch hour');
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('the four lines of the README are what the six lines give', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const { stdout } = await execa(process.execPath, [
    join(ROOT, 'dist/cli/main.js'),
    'render',
    join(ROOT, 'fixtures/hardware/mysql-cr-target-fields.txt'),
    '--quiet',
  ]);
  expect(readme).toContain(stdout.replace(/^/gm, '    '));
});
