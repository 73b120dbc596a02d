/**
 * Downloads a file, with limits on its size, its time and its redirections.
 */

import { lookup as lookupName } from 'node:dns';
import { createWriteStream } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { redirectionFault } from './settings.js';

export interface DownloadLimits {
  readonly timeoutMs: number;
  readonly maxTimeMs: number;
  readonly maxBytes: number;
}

export interface DownloadOptions extends DownloadLimits {
  readonly signal: AbortSignal;
  /** Called with the size of each part that arrives. */
  readonly onBytes: (bytes: number) => void;
  /** Default: `localityOf`. */
  readonly localityOf?: (address: string) => Locality;
}

/** A server that sends less in `timeoutMs` is too slow, as for elfutils. */
const MIN_BYTES = 100_000;
const MAX_REDIRECTS = 5;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The server cannot be reached or is too slow: another request would not do better. */
export class ServerUnusable extends Error {}

/** Returns whether the server has the file. @throws Error if it does not send all of it */
export async function download(url: URL, target: string, options: DownloadOptions): Promise<boolean> {
  const pace = new Pace(options);
  const signal = AbortSignal.any([options.signal, pace.signal]);
  try {
    const response = await request(url, signal, options.localityOf ?? localityOf);
    if (response === null) return false;
    try {
      if (Number(response.headers['content-length'] ?? 0) > options.maxBytes) throw tooLarge(options);
      await pipeline(pace.count(response), createWriteStream(target, { mode: 0o600 }), { signal });
    } finally {
      response.destroy();
    }
    return true;
  } catch (error) {
    throw pace.error ?? error;
  } finally {
    pace.stop();
  }
}

const HEADERS = { 'accept-encoding': 'identity', 'user-agent': 'ptflame' };

/**
 * Returns null if the server does not have the file. A redirection may lead to no address that is more local than the server's: a
 * server on the internet has no business with those that only this machine can reach.
 */
async function request(
  url: URL,
  signal: AbortSignal,
  localityOf: (address: string) => Locality,
): Promise<IncomingMessage | null> {
  let at = url;
  let most: Locality | null = null;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await answerOf(at, signal, most, localityOf);
    if (response.statusCode === 200) return response;
    const { remoteAddress } = response.socket;
    most ??= remoteAddress === undefined ? Locality.Public : localityOf(remoteAddress);
    response.destroy();
    const { statusCode = 0, headers } = response;
    if (statusCode === 404 || statusCode === 410) return null;
    const next = headers.location;
    if (statusCode < 300 || statusCode > 399 || next === undefined) throw new Error(`status ${statusCode}`);
    if (!URL.canParse(next, at.href)) throw new Error('a redirection to no URL');
    at = new URL(next, at.href);
    const fault = redirectionFault(url, at);
    if (fault !== null) throw new Error(fault);
  }
  throw new Error('too many redirections');
}

/** `most`: how local its address may be; null: as it is. Connections are not reused: each address is checked. */
function answerOf(
  url: URL,
  signal: AbortSignal,
  most: Locality | null,
  localityOf: (address: string) => Locality,
): Promise<IncomingMessage> {
  return new Promise((answer, fail) => {
    if (most !== null && !isWithin(url.hostname, most, localityOf)) throw new MoreLocal(url.hostname);
    const ask = url.protocol === 'https:' ? requestHttps : requestHttp;
    const lookup = most === null ? {} : { lookup: lookupWithin(most, localityOf) };
    const made = ask(url, { agent: false, signal, headers: HEADERS, ...lookup }, answer);
    made.on('error', (error) => fail(error instanceof MoreLocal ? error : new ServerUnusable(reasonOf(error))));
    made.end();
  });
}

/** Counts what arrives, and aborts when it is too little or too much. */
class Pace {
  error: Error | null = null;
  private readonly controller = new AbortController();
  private readonly timers: NodeJS.Timeout[];
  private bytes = 0;
  private bytesBefore = 0;

  constructor(private readonly options: DownloadOptions) {
    const { timeoutMs, maxTimeMs } = options;
    this.timers = [setInterval(() => this.check(), Math.min(timeoutMs, MAX_TIMER_MS))];
    if (maxTimeMs <= MAX_TIMER_MS) this.timers.push(setTimeout(() => this.abort('it takes too long'), maxTimeMs));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async *count(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of body) {
      this.bytes += part.length;
      if (this.bytes > this.options.maxBytes) throw tooLarge(this.options);
      this.options.onBytes(part.length);
      yield part;
    }
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private check(): void {
    if (this.bytes - this.bytesBefore < MIN_BYTES) this.abort('it is too slow');
    this.bytesBefore = this.bytes;
  }

  private abort(reason: string): void {
    this.error = new ServerUnusable(reason);
    this.controller.abort();
  }
}

/** A host with several addresses fails with an error for each, and no words of its own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [first] = error instanceof AggregateError ? error.errors : [];
  return error.message || (first === undefined ? error.name : reasonOf(first));
}

function tooLarge({ maxBytes }: DownloadLimits): Error {
  return new Error(`larger than ${maxBytes} bytes (DEBUGINFOD_MAXSIZE)`);
}

/**
 * How local an address is, and a lookup of names that finds no address more local than allowed.
 *
 * The larger, the fewer machines reach the same host under it.
 */
export const Locality = { Public: 0, Private: 1, Link: 2, Loopback: 3 } as const;
export type Locality = (typeof Locality)[keyof typeof Locality];

/** Ranges that are not public (RFC 6890); the address 0 is this machine. Multicast and reserved ones count as private. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  [Locality.Loopback]: ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  [Locality.Link]: ['169.254.0.0/16', 'fe80::/10'],
  [Locality.Private]: [
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '192.0.0.0/24', '198.18.0.0/15'],
    ...['224.0.0.0/4', '240.0.0.0/4', 'fc00::/7', 'fec0::/10', 'ff00::/8', '2002::/16', '64:ff9b:1::/48'],
  ],
};

/** IPv6 addresses that stand for those of IPv4: compatible, mapped, translated (NAT64). */
const OF_IPV4 = ['::', '::ffff:', '64:ff9b::'];

const LISTS = Object.entries(RANGES)
  .map(([locality, ranges]) => ({ locality: Number(locality) as Locality, list: listOf(ranges) }))
  .sort((a, b) => b.locality - a.locality);

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/');
    if (isIP(address) === 6) list.addSubnet(address, Number(bits), 'ipv6');
    else list.addSubnet(address, Number(bits), 'ipv4');
    if (isIP(address) === 4)
      for (const prefix of OF_IPV4) list.addSubnet(`${prefix}${address}`, 96 + Number(bits), 'ipv6');
  }
  return list;
}

/** `address`: IPv4 or IPv6, without brackets. Anything else counts as loopback. */
export function localityOf(address: string): Locality {
  const family = isIP(address);
  if (family === 0) return Locality.Loopback;
  const found = LISTS.find(({ list }) => list.check(address, family === 4 ? 'ipv4' : 'ipv6'));
  return found?.locality ?? Locality.Public;
}

/** An address that a redirection may not lead to. */
class MoreLocal extends Error {
  constructor(host: string) {
    super(`a redirection to ${host}, an address more local than the server's`);
  }
}

/** Returns true for names, which `lookupWithin` checks. `hostname`: of a URL. */
export function isWithin(hostname: string, most: Locality, of: (address: string) => Locality): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 || of(address) <= most;
}

/** Checks the addresses that are connected to: asked once more, a name may have others. */
function lookupWithin(most: Locality, of: (address: string) => Locality): LookupFunction {
  return (name, options, done) =>
    lookupName(name, { ...options, all: true }, (error, addresses) => {
      const allowed = error === null ? addresses.filter(({ address }) => of(address) <= most) : [];
      const [first] = allowed;
      if (error !== null || first === undefined) done(error ?? new MoreLocal(name), '', 0);
      else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
}
