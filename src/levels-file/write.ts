/**
 * Writes a levels file: threads as they are replayed, then the page, then the index.
 */
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { ThreadChunks } from '../model/timeline/call-chunks.js';
import type { Tid } from '../model/units.js';
import { END_MAGIC, HEAD_BYTES, MAGIC, VERSION } from './format.js';
import { type IndexedThread, indexBytes } from './index-section.js';

export class LevelsWriter {
  private readonly fd: number;
  private readonly hash = createHash('sha256');
  private readonly threads: IndexedThread[] = [];
  private at = 0;

  /** `fd`: of an empty file. */
  constructor(fd: number) {
    this.fd = fd;
    const head = Buffer.alloc(HEAD_BYTES);
    MAGIC.copy(head);
    head.writeUInt32LE(VERSION, MAGIC.length);
    this.write(head);
  }

  addThread(tid: Tid, { levels, split, functions, bytes }: ThreadChunks): void {
    this.threads.push({ tid, at: this.at, levels, split, functions });
    this.write(bytes);
  }

  /** Writes the rest. `key`: of what the file was made. `page`: in parts. */
  async finish(key: string, page: AsyncIterable<string>): Promise<void> {
    const pageAt = this.at;
    for await (const part of page) this.write(Buffer.from(part));
    const indexAt = this.at;
    const threads = this.threads.sort((a, b) => a.tid - b.tid);
    this.write(indexBytes({ key, page: { at: pageAt, bytes: indexAt - pageAt }, threads }));
    this.write(sizes(indexAt, this.at));
    this.writeBytes(this.hash.digest());
    this.writeBytes(END_MAGIC);
  }

  private write(bytes: Uint8Array): void {
    this.hash.update(bytes);
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
