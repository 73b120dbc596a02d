/**
 * Reads environments: which servers are asked, with which limits, and where their files go.
 */
import { expect, test } from 'vitest';
import { isWithin, Locality, localityOf } from '../../../cli/input/download.js';
import { debuginfodSettings, redirectionFault } from '../../../cli/input/settings.js';

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
  const limits = { timeoutMs: 90_000, maxTimeMs: 3_600_000, maxBytes: 2 ** 32 };
  for (const env of [odd, {}]) expect(settingsOf({ ...URLS, ...env }).settings).toMatchObject(limits);
});

test.each([
  [Locality.Public, '8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808'],
  [
    Locality.Private,
    '10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 fd00::1 ::ffff:10.0.0.1 255.255.255.255',
  ],
  [Locality.Private, '64:ff9b::10.0.0.1 2002:7f00:1:: ff02::1'],
  [Locality.Link, '169.254.169.254 fe80::1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe'],
  [
    Locality.Loopback,
    '127.0.0.1 127.9.9.9 0.0.0.0 ::1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 x',
  ],
])('the locality %i is that of %s', (locality, addresses) => {
  for (const address of addresses.split(' ')) expect([address, localityOf(address)]).toEqual([address, locality]);
});

test.each(['http://0x7f.1/', 'http://2130706433/', 'http://[::ffff:127.0.0.1]/', 'http://127.1/'])(
  'a URL cannot hide a local address: %s',
  (url) => {
    expect(isWithin(new URL(url).hostname, Locality.Link, localityOf)).toBe(false);
  },
);

test('an https server cannot redirect to plain http, not even on this machine', () => {
  const fault = (from: string, to: string) => redirectionFault(new URL(from), new URL(to));
  for (const to of ['http://127.0.0.1/', 'http://localhost/', 'http://[::1]/', 'ftp://a.example/'])
    expect(fault('https://a.example/', to)).toMatch(/not https/);
  expect(fault('https://a.example/', 'https://b.example/')).toBeNull();
  expect(fault('http://localhost/', 'http://127.0.0.1:8002/')).toBeNull();
});
