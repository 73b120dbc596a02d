/**
 * The contents of the npm package: everything that users run or read, and nothing that only developers need.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';

interface PackedFile {
  readonly path: string;
  readonly size: number;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const about = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

let files: readonly PackedFile[];
beforeAll(async () => {
  const { stdout } = await execa('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
  files = JSON.parse(stdout)[0].files;
});

test('contains what users run and read', () => {
  const exported = Object.values(about.exports as Record<string, Record<string, string>>).flatMap(Object.values);
  const wanted = [about.bin.ptflame, ...exported].map((path) => path.replace('./', ''));
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...wanted,
      'README.md',
      'CHANGELOG.md',
      'SECURITY.md',
      'LICENSE',
      'docs/report.png',
      'docs/recording.md',
      'recipes/slurm/submit.sh',
      'recipes/kubernetes/job.yaml',
    ]),
  );
  expect(paths.some((path) => path.startsWith('fixtures/demo/'))).toBe(true);
});

test('contains the man page where npm links it', () => {
  expect(about.man).toEqual(['./man/ptflame.1']); // npm links only lists
  expect(files.map(({ path }) => path)).toContain('man/ptflame.1');
});

test('contains nothing that only developers need', () => {
  const ours = files.filter(
    ({ path }) =>
      !/^(dist\/(browser|cli|src)|docs|fixtures\/demo|man|recipes|sql)\/|^[A-Z]+(\.md)?$|^package.json$/.test(path),
  );
  expect(ours).toEqual([]);
  expect(files.filter(({ path }) => path.includes('.cache'))).toEqual([]); // compiled code of this machine
});

test('has no declaration that repeats a script', () => {
  const declarations = files.map(({ path }) => path).filter((path) => path.endsWith('.generated.d.ts'));
  expect(declarations.length).toBeGreaterThan(2);
  for (const path of declarations) expect(readFileSync(join(ROOT, path), 'utf8')).not.toMatch(/['"`]/);
});
