/**
 * Reads the settings of debuginfod from the environment, as elfutils' client does (debuginfod-find(1)).
 */
import { join } from 'node:path';

export interface DebuginfodSettings {
  /** Servers in the order in which they are asked. */
  readonly servers: readonly URL[];
  /** Directory that is shared with elfutils' client. */
  readonly cache: string;
  /** A server that sends less than 100 kB in this time is given up. */
  readonly timeoutMs: number;
  /** For one file: a server that sends little all the time is given up, too. */
  readonly maxTimeMs: number;
  readonly maxBytes: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_TIMEOUT_S = 90;
const DEFAULT_MAX_TIME_S = 3600;
const DEFAULT_MAX_BYTES = 4 * 2 ** 30;

/** Returns null if `DEBUGINFOD_URLS` names no server. `notify` receives a line for each URL that is not used. */
export function debuginfodSettings(
  env: Environment,
  home: string,
  notify: (line: string) => void,
): DebuginfodSettings | null {
  const words = (env['DEBUGINFOD_URLS'] ?? '').split(/\s+/).filter((word) => word !== '' && !word.startsWith('ima:'));
  const servers = words.flatMap((word) => {
    const server = serverOf(word);
    if (server === null)
      notify(`warning: DEBUGINFOD_URLS: ${word.replace(/\/\/.*@/, '//')} is not an https URL: not used`);
    return server ?? [];
  });
  if (servers.length === 0) return null;
  return {
    servers,
    cache: env['DEBUGINFOD_CACHE_PATH'] || join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'debuginfod_client'),
    timeoutMs: 1000 * (positive(env['DEBUGINFOD_TIMEOUT']) ?? DEFAULT_TIMEOUT_S),
    maxTimeMs: 1000 * (positive(env['DEBUGINFOD_MAXTIME']) ?? DEFAULT_MAX_TIME_S),
    maxBytes: positive(env['DEBUGINFOD_MAXSIZE']) ?? DEFAULT_MAX_BYTES,
  };
}

/** Returns null if the URL is not one of a server that may be asked. It ends with a slash. */
function serverOf(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isTrusted(url)) return null;
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** Returns why a server may not redirect to a URL, or null. Only one on this machine may be asked without https. */
export function redirectionFault(server: URL, to: URL): string | null {
  const isSafe = isTrusted(to) && (to.protocol === 'https:' || server.protocol === 'http:');
  return isSafe ? null : 'a redirection to a URL that is not https';
}

/** Whether it is https, or plain http on this machine, and contains no password. */
function isTrusted({ protocol, hostname, username, password }: URL): boolean {
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOCAL_HOSTS.has(hostname));
}

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns null for anything but a positive number; 0 means the default, as in elfutils. */
function positive(text: string | undefined): number | null {
  const value = Number(text ?? '');
  return Number.isFinite(value) && value > 0 ? value : null;
}
