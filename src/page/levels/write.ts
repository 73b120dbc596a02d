/**
 * Writes a levels file: threads as they are replayed, then the page, then the index.
 */
import { createHmac, type Hmac } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { ThreadChunks } from '../../model/profile/timeline.js';
import type { Tid } from '../../model/units.js';
import { END_MAGIC, MAGIC, markOf, type Origin, VERSION } from './format.js';
import { type IndexedThread, indexBytes } from './index-section.js';

export class LevelsWriter {
  private readonly fd: number;
  private readonly mac: Hmac;
  private readonly origin: Origin;
  private readonly threads: IndexedThread[] = [];
  private at = 0;

  /** `fd`: of an empty file. */
  constructor(fd: number, origin: Origin) {
    this.fd = fd;
    this.origin = origin;
    this.mac = createHmac('sha256', origin.secret);
    const version = Buffer.alloc(4);
    version.writeUInt32LE(VERSION);
    this.write(Buffer.concat([MAGIC, version, markOf(origin)]));
  }

  addThread(tid: Tid, { levels, split, functions, bytes }: ThreadChunks): void {
    this.threads.push({ tid, at: this.at, levels, split, functions });
    this.write(bytes);
  }

  /** Writes the rest. `page`: in parts. */
  async finish(page: AsyncIterable<string>): Promise<void> {
    const { key } = this.origin;
    const pageAt = this.at;
    for await (const part of page) this.write(Buffer.from(part));
    const indexAt = this.at;
    const threads = this.threads.sort((a, b) => a.tid - b.tid);
    this.write(indexBytes({ key, page: { at: pageAt, bytes: indexAt - pageAt }, threads }));
    this.write(sizes(indexAt, this.at));
    this.writeBytes(this.mac.digest());
    this.writeBytes(END_MAGIC);
  }

  private write(bytes: Uint8Array): void {
    this.mac.update(bytes);
    this.writeBytes(bytes);
  }

  private writeBytes(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done);
    this.at += bytes.length;
  }
}

function sizes(indexAt: number, indexEnd: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(BigInt(indexAt), 0);
  bytes.writeBigUInt64LE(BigInt(indexEnd), 8);
  return bytes;
}
