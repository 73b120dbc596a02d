/**
 * Reads environments: which servers are asked, with which limits, and where their files go.
 */
import { expect, test } from 'vitest';
import { debuginfodSettings } from '../../../cli/debuginfod/settings.js';

function settingsOf(env: Record<string, string>) {
  const lines: string[] = [];
  return { settings: debuginfodSettings(env, '/home/me', (line) => void lines.push(line)), lines };
}

test.each(['', ' ', 'ima:enforcing'])('no server is asked with DEBUGINFOD_URLS=%j', (urls) => {
  expect(settingsOf({ DEBUGINFOD_URLS: urls })).toEqual({ settings: null, lines: [] });
});

test('no server is asked by default', () => {
  expect(settingsOf({}).settings).toBeNull();
});

test('servers are asked in order, by https or on this machine', () => {
  const { settings } = settingsOf({ DEBUGINFOD_URLS: 'https://a.example/x http://localhost:8002/  http://[::1]' });
  expect(settings?.servers.map(String)).toEqual(['https://a.example/x/', 'http://localhost:8002/', 'http://[::1]/']);
});

test.each(['http://a.example', 'ftp://a.example', 'a.example', 'https://me:secret@a.example', 'file:///'])(
  '%s is reported and not used',
  (url) => {
    const { settings, lines } = settingsOf({ DEBUGINFOD_URLS: `${url} https://b.example` });
    expect(settings?.servers.map(String)).toEqual(['https://b.example/']);
    expect(lines).toEqual([expect.stringContaining(`${url.replace('me:secret@', '')} is not an https URL`)]);
  },
);

const URLS = { DEBUGINFOD_URLS: 'https://a.example' };

test.each([
  [{}, '/home/me/.cache/debuginfod_client'],
  [{ XDG_CACHE_HOME: '/cache' }, '/cache/debuginfod_client'],
  [{ XDG_CACHE_HOME: '/cache', DEBUGINFOD_CACHE_PATH: '/own' }, '/own'],
])('the cache of %j is %s', (env, cache) => {
  expect(settingsOf({ ...URLS, ...env }).settings?.cache).toBe(cache);
});

test('limits are those of the environment, or the defaults', () => {
  const env = { DEBUGINFOD_TIMEOUT: '5', DEBUGINFOD_MAXTIME: '60', DEBUGINFOD_MAXSIZE: '1000' };
  expect(settingsOf({ ...URLS, ...env }).settings).toMatchObject({
    timeoutMs: 5000,
    maxTimeMs: 60_000,
    maxBytes: 1000,
  });
  const odd = { DEBUGINFOD_TIMEOUT: 'x', DEBUGINFOD_MAXTIME: '0', DEBUGINFOD_MAXSIZE: '-1' };
  const limits = { timeoutMs: 90_000, maxTimeMs: Number.POSITIVE_INFINITY, maxBytes: 2 ** 32 };
  for (const env of [odd, {}]) expect(settingsOf({ ...URLS, ...env }).settings).toMatchObject(limits);
});
