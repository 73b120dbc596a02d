/**
 * The promises of the format: its document, its schema, and that only readers of profiles load the code for it.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { QUALITY_KEYS } from '../../src/profile-file/format.js';
import { ProfileFile } from '../../src/profile-file/schema.js';
import { jsonOf } from '../helpers/checks/files/profile-file.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const packageJson = JSON.parse(read('package.json'));

test('writes the example of the document, and it fits the schema', async () => {
  const [, example] = /```json\n(.*?)```/s.exec(read('docs/profile-format.md')) ?? [];
  expect(example).toBe(jsonOf(await analyzeText(fixture('hardware/mysql-cr-target-fields.txt'))));
  const file = ProfileFile.parse(JSON.parse(example));
  expect(file.threads[0]?.tree.selfNs).toEqual([0, 75, 0, 0, 19]);
});

test('documents every key', () => {
  const text = read('docs/profile-format.md');
  const { meta, symbols, threads, quality } = ProfileFile.shape;
  const parts = [ProfileFile, meta, symbols, threads.element, threads.element.shape.tree, quality];
  for (const key of [...parts.flatMap(({ shape }) => Object.keys(shape)), ...QUALITY_KEYS])
    expect(text).toContain(`\`${key}\``);
});

test('the schema accepts what is written, without losing anything', async () => {
  const text = jsonOf(await analyzeText(fixture('lab/overflow-and-lost.txt')));
  expect(ProfileFile.parse(JSON.parse(text))).toEqual(JSON.parse(text));
});

test('names this version of the package as producer', async () => {
  const { producer } = JSON.parse(jsonOf(await analyzeText(fixture('lab/overflow-and-lost.txt'))));
  expect(producer).toEqual({ name: packageJson.name, version: packageJson.version });
});

test('the schema has an entry point of its own', async () => {
  const { default: path } = packageJson.exports['./profile-schema'];
  expect(await import(new URL(`../../${path}`, import.meta.url).href)).toHaveProperty('ProfileFile');
});

test('importing the library does not load zod', () => {
  const seen = new Set<string>();
  const follow = (url: URL) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    for (const [, name = ''] of readFileSync(url, 'utf8').matchAll(/^(?:import|export) [^;=]*?['"]([^'"]+)['"];$/gm)) {
      if (name.startsWith('.')) follow(new URL(name, url));
      else seen.add(name);
    }
  };
  follow(new URL('../../dist/src/index.js', import.meta.url));
  expect(seen.size).toBeGreaterThan(30);
  expect([...seen].filter((name) => /zod|schema|read-tree/.test(name))).toEqual([]);
});
