/**
 * Kind of fuzzing: real recordings, damaged, through the own decoder. It must end within time and memory, find the same in parts
 * as in whole, and count what is lost.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PtflameError } from '../../src/model/errors.js';
import { openRecording } from '../../src/perfdata/open-recording.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { analyze } from '../../src/pipeline/analyze.js';
import {
  type EncodedRecording,
  findBinaries,
  type Jumps,
  unsupported,
} from '../../src/pipeline/decode/encoded-recording.js';
import { locator } from '../../src/pipeline/decode/locate.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import { type Cutting, type Decoded, decodedInParts, WHOLE } from '../../test/helpers/perf/in-parts.js';
import { type RawRecording, takeApart } from '../../test/helpers/perf/rewrite.js';
import { checkProfile } from '../checks/check-profile.js';
import type { AnyCase, Kind } from '../kind.js';
import { Random } from '../random.js';
import { damagedRecording } from './damage-recording.js';
import { NO_PACKETS } from './damage-trace.js';

export interface DamagedCase extends AnyCase {
  readonly jumps: Jumps;
  readonly cutting: Cutting;
  /** Bytes of events, and of code and sites, of a decoder. */
  readonly limits: { readonly eventBytes: number; readonly codeBytes: number };
}

/** From dist/fuzz/damaged. */
export const FIXTURES = new URL('../../../fixtures/recordings/', import.meta.url);
export const NAMES =
  'cpus-1 cpus-2 cpus-4 loop-1 loop-mtc loop lossy mtc-only noise switch-own tracepoints waits'.split(' ');
/** Resident memory of the process that decodes one case after another. */
const MAX_RESIDENT_KILOBYTES = 1024 * 1024;
/** A profile takes as long as all other checks. */
const CASES_PER_PROFILE = 4;
export const JUMPS: readonly Jumps[] = ['none', 'leaving', 'all'];
const ERROR_NUMBERS = 5;
const KNOWN_ERRORS: ReadonlySet<number> = new Set([3, 5, 6, 7, 10]);

/** `directory`: for the files. `fixtures`: where recordings are. */
export function damagedRecordings(seed: number, directory: string, fixtures = FIXTURES): Kind<DamagedCase> {
  const path = join(directory, 'damaged.data');
  const root = fileURLToPath(new URL('root', fixtures));
  const recordings = new Map<string, RawRecording>();
  const recordingOf = (name: string): RawRecording => {
    const known = recordings.get(name) ?? takeApart(readFileSync(new URL(`${name}.data`, fixtures)));
    recordings.set(name, known);
    return known;
  };
  return {
    isText: false,
    sizeOf: () => 1,
    make(number) {
      const random = new Random(seed, number);
      const steps = [random.pick(NAMES), random.pick(NAMES)];
      const [one, other] = steps.map(recordingOf) as [RawRecording, RawRecording];
      const bytes = damagedRecording(one, other, random, steps);
      return { number, bytes, steps, jumps: random.pick(JUMPS), ...randomCutting(random) };
    },
    async check(fuzzCase) {
      writeFileSync(path, fuzzCase.bytes);
      const recording = await nullIfRejected(openRecording(path));
      const isDecoded = recording !== null && unsupported(recording)?.hasRest !== false;
      if (isDecoded) await checkDecoding(encodedOf(recording, path, root, fuzzCase.jumps), fuzzCase);
      checkMemory();
      return { parserMs: 0 };
    },
  };
}

export function checkMemory(): void {
  const { maxRSS } = process.resourceUsage();
  assert(maxRSS < MAX_RESIDENT_KILOBYTES, `${maxRSS} KB of memory`);
}

export function randomCutting(random: Random): Pick<DamagedCase, 'cutting' | 'limits'> {
  return {
    cutting: {
      partBytes: 60 + random.below(random.pick([500, 5000, 15_000])),
      decoders: 1 + random.below(3),
      choices: Array.from({ length: 1 + random.below(5) }, () => random.below(1000)),
      maxParts: 1 + random.below(6),
    },
    limits: {
      eventBytes: random.oneIn(2) ? 500 + random.below(20_000) : 1 << 20,
      codeBytes: random.oneIn(4) ? 1_500_000 : 9_000_000,
    },
  };
}

export function encodedOf(recording: Recording, path: string, root: string, jumps: Jumps): EncodedRecording {
  const roots = { root, cache: null };
  const { paths: binaries } = findBinaries(recording, DISK_FILES, roots);
  const naming = { files: null, roots, pltNames: 'perf-6.1', buildIds: new Map() } as const;
  const sizeBytes = recording.buffers.reduce((sum, buffer) => sum + buffer.sizeBytes, 0);
  return {
    name: path,
    path,
    sizeBytes,
    recording,
    jumps,
    binaries,
    naming,
    locate: locator(naming),
    recorded: null,
    broken: null,
  };
}

export async function checkDecoding(
  encoded: EncodedRecording,
  { number, steps, cutting, limits }: DamagedCase,
): Promise<void> {
  const { pageBytes } = cutting;
  const { handOvers: _, ...whole } = await decodedInParts(encoded, { ...WHOLE, ...(pageBytes && { pageBytes }) });
  const { handOvers: __, ...inParts } = await decodedInParts({ ...encoded, ...limits }, cutting);
  assert.deepEqual(inParts, whole, 'parts have other events or errors than the whole');
  const codes = errorCodes(whole);
  assert(
    codes.every((code) => KNOWN_ERRORS.has(code)),
    `errors ${codes}`,
  );
  if (steps.length === 3 && steps.includes(NO_PACKETS))
    assert(codes.includes(3), 'bytes that are no packets are not counted');
  if (number % CASES_PER_PROFILE === 0) await checkLosses(encoded, codes);
}

/** All time is decoded or lost, and every error is counted. */
async function checkLosses(encoded: EncodedRecording, codes: readonly number[]): Promise<void> {
  const profile = await nullIfRejected(analyze([{ ...encoded, eventBytes: 1 << 20 }], { jobs: 1 }));
  if (profile === null) return;
  checkProfile(profile);
  const { gapLines } = profile.quality;
  const counted = codes.filter((code) => code !== 5).length; // of code that is missing, once a file
  assert(gapLines >= counted && (gapLines > 0 || codes.length === 0), `${codes.length} errors, ${gapLines} counted`);
}

function errorCodes({ errors }: Pick<Decoded, 'errors'>): number[] {
  return errors.filter((_, at) => at % ERROR_NUMBERS === 3);
}

export async function nullIfRejected<Value>(value: Promise<Value>): Promise<Value | null> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof PtflameError) return null;
    throw error;
  }
}
