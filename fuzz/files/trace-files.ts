/**
 * Fuzzes imported traces: intact ones give the same result as their text; damaged ones, with valid checksums or not,
 * are rejected or read.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { analyze } from '../../src/pipeline/analyze.js';
import { importTrace } from '../../src/pipeline/import-trace.js';
import { traceStream } from '../../src/pipeline/open-text.js';
import { openStoredTrace } from '../../src/pipeline/stored-trace.js';
import { renderJson } from '../../src/profile-file/write.js';
import { FRAME_BYTES, HEAD_BYTES, TRAILER_BYTES } from '../../src/trace/file/format.js';
import { checkProfile } from '../checks/check-profile.js';
import type { AnyCase, Kind } from '../kind.js';
import { Random } from '../random.js';
import { mutated } from './mutate.js';
import { randomTrace } from './random-trace.js';

interface TraceFileCase extends AnyCase {
  /** Seed of the damage to the imported file. */
  readonly damageSeed: number;
}

const ALONE = { jobs: 1 };
const OPTIONS = { ...ALONE, byCalls: true };

/** `directory`: for the files. The bytes of a case are the text to import. */
export function traceFiles(seed: number, directory: string): Kind<TraceFileCase> {
  return {
    isText: true,
    sizeOf: () => 1,
    make(number) {
      const random = new Random(seed, number);
      return { number, bytes: randomTrace(random), steps: ['imported'], damageSeed: random.below(2 ** 31) };
    },
    async check({ bytes, damageSeed }) {
      const path = join(directory, 'trace.ptf');
      const isWritten = await imports(bytes, path);
      if (!isWritten) return { parserMs: 0 };
      assert.equal(await jsonOf(path), await jsonOfText(bytes), 'the file gives a different result than its text');
      const file = await readFile(path);
      const random = new Random(damageSeed, 0);
      await checkDamaged(path, random.oneIn(2) ? resealed(file, random) : mutated(file, random, []));
      return { parserMs: 0 };
    },
  };
}

async function imports(text: Buffer, path: string): Promise<boolean> {
  const pieces: Uint8Array[] = [];
  const write = async (bytes: AsyncIterable<Uint8Array>) => {
    for await (const piece of bytes) pieces.push(new Uint8Array(piece));
  };
  try {
    await importTrace([traceStream('text', Readable.from([text]))], write, ALONE);
  } catch (error) {
    if (error instanceof PtflameError) return false;
    throw error;
  }
  await writeFile(path, Buffer.concat(pieces));
  return true;
}

async function jsonOf(path: string): Promise<string> {
  return asJson(await analyze([openStoredTrace(path)], OPTIONS));
}

async function jsonOfText(text: Buffer): Promise<string> {
  return asJson(await analyze([traceStream('text', Readable.from([text]))], OPTIONS));
}

function asJson(profile: Profile): string {
  return [...renderJson(profile)].join('');
}

async function checkDamaged(path: string, file: Buffer): Promise<void> {
  await writeFile(path, file);
  for (const salvage of [false, true]) {
    try {
      checkProfile(await analyze([openStoredTrace(path, { salvage })], OPTIONS));
    } catch (error) {
      if (!(error instanceof PtflameError)) throw error;
    }
  }
}

/** Changes a byte and fixes the checksums. */
function resealed(file: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(file);
  const frames: [at: number, end: number][] = [];
  for (let at = HEAD_BYTES; at < file.length - TRAILER_BYTES; ) {
    const end = at + FRAME_BYTES + file.readUInt32LE(at + 4);
    frames.push([at, end]);
    at = end;
  }
  const [at, end] = random.pick(frames);
  const part = bytes.subarray(at + FRAME_BYTES, end);
  if (part.length > 0) part[random.below(part.length)] = random.below(256);
  bytes.writeUInt32LE(crc32(part), at + 12);
  bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 16)), at + 16);
  return bytes;
}
