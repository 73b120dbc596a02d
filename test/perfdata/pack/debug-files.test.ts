/**
 * A pack has the files that the debug information of its binaries refers to, where reading the pack looks for them.
 */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, vi } from 'vitest';
import { fetchBinaries } from '../../../cli/input/fetch-binaries.js';
import { neededFiles } from '../../../src/perfdata/pack/needed-files.js';
import { packableFiles } from '../../../src/perfdata/pack/packable-files.js';
import { sourceOf } from '../../../src/symbols/byte-source.js';
import { debugReader, referredFiles } from '../../../src/symbols/debug-info.js';
import { buildIdOf, readElf } from '../../../src/symbols/elf-file.js';
import { DISK_FILES } from '../../../src/symbols/symbol-files.js';
import { type Directory, test } from '../../helpers/cli/run-cli.js';
import { install, recordingOfFiles } from '../../helpers/perf/mapped-files.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/dwarf/others');
const bytesOf = (name: string) => new Uint8Array(gunzipSync(readFileSync(join(FIXTURES, `${name}.gz`))));
const idOf = (name: string) => buildIdOf(readElf(sourceOf(bytesOf(name))).elf ?? expect.fail()) ?? expect.fail();
const installed = (id: string) => `/usr/lib/debug/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`;
const BINARY = '/bin/program';

async function packed(dir: Directory, others: Readonly<Record<string, string>>, cache?: string) {
  for (const [path, name] of Object.entries(others)) await install(dir, path, bytesOf(name));
  const recording = recordingOfFiles({ [BINARY]: null });
  const policy = { symfs: dir.path, uid: 0, recordingUid: 0, ...(cache !== undefined && { cache }) };
  return packableFiles(recording, policy);
}

describe.each([
  ['a split unit where it was built', 'split-4', 'split-4.dwo', '/src/split-4.dwo'],
  ['a split unit beside the binary', 'split-5', 'split-5.dwo', '/bin/split-5.dwo'],
  ['a package beside the binary', 'package-5', 'package-5.dwp', '/bin/program.dwp'],
  ['a package of another folder', 'split-4', 'package-4.dwp', `/usr/lib/debug${BINARY}.dwp`],
  ['a file of dwz (.gnu_debugaltlink)', 'shared-4', 'common-4', '/src/common-4'],
  ['a file of dwz (.debug_sup)', 'shared-5', 'common-5', '/usr/lib/debug/.dwz/common-5'],
  ['a file of dwz by its build id', 'shared-4', 'common-4', installed(idOf('common-4'))],
])('%s', (_, binary, name, path) => {
  test('is packed, and found in the pack', async ({ dir }) => {
    const { files, missingDebug } = await packed(dir, { [BINARY]: binary, [path]: name });
    expect(files.map((file) => file.path)).toEqual([BINARY, path]);
    expect(missingDebug).toEqual([]);
    const pack = dir.file('unpacked');
    for (const { path: at, file } of files) {
      await mkdir(dirname(join(pack, at)), { recursive: true });
      await writeFile(join(pack, at), readFileSync(file.path));
    }
    const roots = { root: pack, cache: join(pack, '.debug') };
    expect(referredFiles(BINARY, null, DISK_FILES, roots, await debugReader(2 ** 30)).missing).toEqual([]);
  });

  test('that is missing is named', async ({ dir }) => {
    const { files, missingDebug } = await packed(dir, { [BINARY]: binary });
    expect([files.length, missingDebug.length]).toEqual([1, 1]);
  });
});

test("a file of dwz in perf's cache gets into that of the pack", async ({ dir }) => {
  const id = idOf('common-4');
  const copy = `/.build-id/${id.slice(0, 2)}/${id.slice(2)}/debug`;
  const { files } = await packed(
    dir,
    { [BINARY]: 'shared-4', [`/home/.debug${copy}`]: 'common-4' },
    dir.file('home/.debug'),
  );
  expect(files.map(({ path }) => path)).toEqual([BINARY, `/.debug${copy}`]);
});

test('a file of dwz is fetched from debuginfod by its build id', async ({ dir }) => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url.includes(idOf('common-4'))) response.end(bytesOf('common-4'));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  try {
    vi.stubEnv('DEBUGINFOD_URLS', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    vi.stubEnv('DEBUGINFOD_CACHE_PATH', dir.file('cache'));
    await install(dir, BINARY, bytesOf('shared-4'));
    const of = recordingOfFiles({ [BINARY]: idOf('shared-4') });
    const recording = {
      ...of,
      sideband: [...of.sideband, { ...of.sideband[0], record: { what: 'traced', pid: 1 } }],
    } as typeof of;
    const files = await neededFiles(recording, dir.path);
    const roots = { root: dir.path, cache: null };
    await fetchBinaries(recording, files, { roots, quiet: true, signal: new AbortController().signal });
    expect(asked).toEqual([`/buildid/${idOf('common-4')}/debuginfo`]);
    const debuginfod = { ...roots, debuginfod: dir.file('cache') };
    const found = referredFiles(BINARY, null, DISK_FILES, debuginfod, await debugReader(2 ** 30));
    expect(found).toMatchObject({
      missing: [],
      paths: [dir.file(BINARY), dir.file(`cache/${idOf('common-4')}/debuginfo`)],
    });
  } finally {
    vi.unstubAllEnvs();
    server.close();
  }
});
