/**
 * Downloads a file, with limits on its size, its time and its redirections.
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { isTrusted } from './settings.js';

export interface DownloadLimits {
  readonly timeoutMs: number;
  readonly maxTimeMs: number;
  readonly maxBytes: number;
}

export interface DownloadOptions extends DownloadLimits {
  readonly signal: AbortSignal;
  /** Called with the size of each part that arrives. */
  readonly onBytes: (bytes: number) => void;
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
    const response = await request(url, signal);
    if (response === null) return false;
    const { body, headers } = response;
    if (Number(headers.get('content-length') ?? 0) > options.maxBytes) throw tooLarge(options);
    if (body === null) throw new Error('the answer is empty');
    await pipeline(pace.count(body), createWriteStream(target, { mode: 0o600 }), { signal });
    return true;
  } catch (error) {
    throw pace.error ?? error;
  } finally {
    pace.stop();
  }
}

const HEADERS = { 'accept-encoding': 'identity', 'user-agent': 'ptflame' };

/** Returns null if the server does not have the file. */
async function request(url: URL, signal: AbortSignal): Promise<Response | null> {
  let at = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(at, { redirect: 'manual', signal, headers: HEADERS }).catch((error: unknown) => {
      throw new ServerUnusable(reasonOf(error));
    });
    if (response.status === 200) return response;
    await response.body?.cancel();
    if (response.status === 404 || response.status === 410) return null;
    const next = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || next === null) throw new Error(`status ${response.status}`);
    if (!URL.canParse(next, at.href)) throw new Error('a redirection to no URL');
    at = new URL(next, at.href);
    if (!isTrusted(at)) throw new Error('a redirection to a URL that is not https');
  }
  throw new Error('too many redirections');
}

/** Counts what arrives, and aborts when it is too little or too much. */
class Pace {
  error: Error | null = null;
  private readonly controller = new AbortController();
  private readonly timers: NodeJS.Timeout[];
  private readonly options: DownloadOptions;
  private bytes = 0;
  private bytesBefore = 0;

  constructor(options: DownloadOptions) {
    const { timeoutMs, maxTimeMs } = options;
    this.options = options;
    this.timers = [setInterval(() => this.check(), Math.min(timeoutMs, MAX_TIMER_MS))];
    if (maxTimeMs <= MAX_TIMER_MS) this.timers.push(setTimeout(() => this.abort('it takes too long'), maxTimeMs));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async *count(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      this.bytes += part.value.length;
      if (this.bytes > this.options.maxBytes) throw tooLarge(this.options);
      this.options.onBytes(part.value.length);
      yield part.value;
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

/** fetch and its streams throw errors whose cause has the reason. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

function tooLarge({ maxBytes }: DownloadLimits): Error {
  return new Error(`larger than ${maxBytes} bytes (DEBUGINFOD_MAXSIZE)`);
}
