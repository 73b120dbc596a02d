/**
 * Decides which requests are answered at all: only those of a browser on this machine that was given the address.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Address {
  readonly port: number;
  readonly token: string;
}

/** Where a page of the web had its own name resolved to this machine, its name is in Host (DNS rebinding). */
function hostsOf(port: number): string[] {
  const names = ['127.0.0.1', 'localhost'];
  return names.flatMap((name) => (port === HTTP_PORT ? [name, `${name}:${port}`] : [`${name}:${port}`]));
}

const HTTP_PORT = 80;
/** The page itself asks, or an address that somebody typed or opened. */
const OWN_SITES = new Set(['same-origin', 'none']);

/** Returns the status with which a request is refused; null: it is not. */
export function requestRefusal(request: IncomingMessage, { port }: Pick<Address, 'port'>): number | null {
  const { headers, rawHeaders, method } = request;
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length !== 1 || !hostsOf(port).includes(headers.host?.toLowerCase() ?? '')) return 421;
  if (method !== 'GET' && method !== 'HEAD') return 405;
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') return 413;
  if (headers.upgrade !== undefined || headers.expect !== undefined) return 400;
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return 403;
  const site = headers['sec-fetch-site'];
  return site === undefined || OWN_SITES.has(String(site)) ? null : 403;
}

/** Returns the path after the token; null if it does not begin with it. How long it takes does not depend on the token. */
export function pathAfterToken(url: string, token: string): string | null {
  const [, given, path] = /^\/([^/?#]*)(\/[^?#]*)$/.exec(url) ?? [];
  return given !== undefined && path !== undefined && timingSafeEqual(hashOf(given), hashOf(token)) ? path : null;
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
