/**
 * Decodes a recording of another machine, whose binaries a local server has: the profile is that of the recorded machine.
 */
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, vi } from 'vitest';
import { encodedRecording } from '../../../cli/input/encoded-recording.js';
import { fetchBinaries, NOTHING_FETCHED } from '../../../cli/input/fetch-binaries.js';
import { analyze, renderJson } from '../../../src/index.js';
import { openRecording } from '../../../src/perfdata/open-recording.js';
import { neededFiles } from '../../../src/perfdata/pack/needed-files.js';
import type { Recording } from '../../../src/perfdata/recording.js';
import { ptflame, test } from '../../helpers/cli/run-cli.js';
import { ALONE, decoded, fakePerf } from '../../helpers/perf/decoding.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';

const BINARY = '/opt/ptflame/threads';
const BUILD_ID = '0bc117e3a6d08f9d2a43360adcfec0609fc77b21';
const NEVER = new AbortController().signal;
const path = recordingPath('cpus-2');

const servers: { close(): void }[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
});

/** Serves the executable alone. */
async function serve(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url.endsWith('/executable')) response.end(readFileSync(join(RECORDED_ROOT, BINARY)));
    else response.writeHead(404).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function openWithBuildId(): Promise<Recording> {
  const recording = await openRecording(path);
  return { ...recording, buildIds: [{ file: BINARY, buildId: BUILD_ID, isKernel: false }] };
}

async function profileIn(recording: Recording, root: string): Promise<string> {
  const files = await neededFiles(recording, root);
  const fetched = await fetchBinaries(recording, files, { roots: { root, cache: null }, quiet: true, signal: NEVER });
  const options = {
    name: 'recording',
    path,
    symfs: root,
    fetched,
    jumps: 'none' as const,
    recorded: null,
    broken: null,
  };
  return [...renderJson(await analyze([encodedRecording(recording, options)], ALONE))].join('');
}

test('a recording whose binaries are on a server has the profile of its own machine', async ({ dir }) => {
  const recording = await openWithBuildId();
  const expected = await profileIn(recording, RECORDED_ROOT);
  const empty = dir.file('empty');
  await mkdir(empty);
  expect(await profileIn(recording, empty)).not.toBe(expected);
  const { url, asked } = await serve();
  vi.stubEnv('DEBUGINFOD_URLS', url);
  vi.stubEnv('DEBUGINFOD_CACHE_PATH', dir.file('cache'));
  expect(await profileIn(recording, empty)).toBe(expected);
  expect(asked).toEqual([`/buildid/${BUILD_ID}/executable`]); // it has its symbols
});

test('binaries that are there are not asked for', async ({ dir }) => {
  const { url, asked } = await serve();
  vi.stubEnv('DEBUGINFOD_URLS', url);
  vi.stubEnv('DEBUGINFOD_CACHE_PATH', dir.file('cache'));
  await profileIn(await openWithBuildId(), RECORDED_ROOT);
  expect(asked).toEqual([]);
});

test('a render uses DEBUGINFOD_URLS only with --debuginfod', async ({ dir }) => {
  const env = { DEBUGINFOD_URLS: 'http://a.example' };
  const render = async (...options: string[]) =>
    (await ptflame(['render', path, '--symfs', RECORDED_ROOT, '-o', dir.file('x.folded'), ...options], { env })).stderr;
  expect(await render()).not.toContain('DEBUGINFOD_URLS');
  const stderr = await render('--debuginfod');
  expect(stderr).toContain('http://a.example is not an https URL');
  expect(stderr).toContain('DEBUGINFOD_URLS names no server');
});

test('perf knows no server without --debuginfod', async ({ dir }) => {
  vi.stubEnv('DEBUGINFOD_URLS', 'https://a.example');
  const perf = await fakePerf(dir, 'perf', `echo "$DEBUGINFOD_URLS" > ${dir.file('servers')}; exit 1`);
  for (const [debuginfod, servers] of [
    [false, '\n'],
    [true, 'https://a.example\n'],
  ] as const) {
    await expect(decoded(path, { perf, debuginfod })).rejects.toThrow();
    expect(readFileSync(dir.file('servers'), 'utf8')).toBe(servers);
  }
});

test('nothing is asked for without DEBUGINFOD_URLS', async ({ dir }) => {
  vi.stubEnv('DEBUGINFOD_URLS', undefined);
  const recording = await openWithBuildId();
  const files = await neededFiles(recording, dir.path);
  const options = { roots: { root: dir.path, cache: null }, quiet: true, signal: NEVER };
  expect(await fetchBinaries(recording, files, options)).toBe(NOTHING_FETCHED);
});
