/**
 * Kind of fuzzing: recordings of the kernel, damaged, and so are the copies of its code and names. They may not be kept here, as
 * they hold code of the kernel: `--recordings DIR` has them, each in DIR/NAME/perf.data as `perf record --kcore` writes it, and
 * the programs below DIR/NAME/symfs.
 */
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { unsupported } from '../../src/pipeline/decode/encoded-recording.js';
import { prepareRecording } from '../../src/pipeline/decode/prepare-recording.js';
import { type RawRecord, type RawRecording, takeApart } from '../../test/helpers/perf/rewrite.js';
import type { Kind } from '../kind.js';
import { Random } from '../random.js';
import { damagedRecording } from './damage-recording.js';
import { hasTrace, PSB, withTrace } from './damage-trace.js';
import {
  checkDecoding,
  checkMemory,
  type DamagedCase,
  JUMPS,
  nullIfRejected,
  randomCutting,
} from './damaged-recordings.js';

interface KernelCase extends DamagedCase {
  readonly name: string;
  readonly patches: readonly Patch[];
}

/** A byte of a copy that is changed. */
interface Patch {
  readonly file: 'kcore' | 'kallsyms';
  readonly at: number;
  readonly byte: number;
}

/** Pieces of trace that a case has of a recording, or PSBs of one piece, to be fast. */
const MAX_PIECES = 3;
const MAX_PSBS = 4;
/** A case has one of so many names of the kernel, to be fast. */
const NAMES_SHARE = 20;
/** Of the code of the kernel, which is large, most cases load no more at a time, to be fast. */
const PAGE_BYTES = 4096;
const HEADERS_BYTES = 512;

export function damagedKernels(seed: number, directory: string, folder: string): Kind<KernelCase> {
  const names = readdirSync(folder).sort();
  const sources = new Map(names.map((name) => [name, sourceOf(folder, name, directory)]));
  return {
    isText: false,
    sizeOf: () => 1,
    make(number) {
      const random = new Random(seed, number);
      const name = random.pick(names);
      const steps = [name, name]; // of which recording, and of which other one
      const { recording, sizes } = sources.get(name) as Source;
      const [one, other] = [excerpt(recording, random), excerpt(recording, random)];
      const bytes = damagedRecording(one, other, random, steps);
      const patches = random.oneIn(4)
        ? Array.from({ length: 1 + random.below(20) }, () => randomPatch(sizes, random))
        : [];
      for (const { file, at } of patches) steps.push(`${file}: byte ${at}`);
      const jumps = random.pick(JUMPS);
      const { cutting, limits } = randomCutting(random);
      const pages = random.oneIn(8) ? {} : { pageBytes: PAGE_BYTES };
      return { number, bytes, steps, name, patches, jumps, limits, cutting: { ...cutting, ...pages } };
    },
    async check(fuzzCase) {
      const { name, bytes, jumps, patches } = fuzzCase;
      const { path, copies } = sources.get(name) as Source;
      writeFileSync(join(path, 'data'), bytes);
      writePatches(path, patches);
      try {
        const recording = await nullIfRejected(openRecording(path));
        if (recording !== null && unsupported(recording)?.hasRest !== false) {
          const roots = { root: join(folder, name, 'symfs'), cache: null };
          const where = { name, path: join(path, 'data'), files: null, roots };
          const encoded = prepareRecording(recording, { ...where, jumps, recorded: null, broken: null });
          await checkDecoding(encoded, fuzzCase);
        }
      } finally {
        writePatches(
          path,
          patches.map((patch) => ({ ...patch, byte: copies[patch.file][patch.at] as number })),
        );
      }
      checkMemory();
      return { parserMs: 0 };
    },
  };
}

interface Source {
  readonly recording: RawRecording;
  /** Where cases are written. */
  readonly path: string;
  readonly copies: Readonly<Record<Patch['file'], Buffer>>;
  readonly sizes: Readonly<Record<Patch['file'], number>>;
}

function sourceOf(folder: string, name: string, directory: string): Source {
  const from = join(folder, name, 'perf.data');
  const path = join(directory, name);
  mkdirSync(join(path, 'kcore_dir'), { recursive: true });
  const kcore = readFileSync(join(from, 'kcore_dir/kcore'));
  const lines = readFileSync(join(from, 'kcore_dir/kallsyms'), 'latin1').split('\n');
  const kept = lines.filter((line, row) => row % NAMES_SHARE === 0 || / __switch_to(?:_asm)?$/.test(line));
  const kallsyms = Buffer.from(kept.join('\n'), 'latin1');
  const modules = join(from, 'kcore_dir/modules');
  copyFileSync(modules, join(path, 'kcore_dir/modules'));
  writeFileSync(join(path, 'kcore_dir/kcore'), kcore);
  writeFileSync(join(path, 'kcore_dir/kallsyms'), kallsyms);
  const sizes = { kcore: kcore.length, kallsyms: kallsyms.length };
  return { recording: takeApart(readFileSync(join(from, 'data'))), path, copies: { kcore, kallsyms }, sizes };
}

/** Returns a recording with a few of its pieces of trace, which follow each other, or mostly with a little of one. */
function excerpt(recording: RawRecording, random: Random): RawRecording {
  const pieces = recording.records.filter(hasTrace);
  const isLong = random.oneIn(16);
  const first = random.below(pieces.length);
  const some = pieces.slice(first, first + 1 + (isLong ? random.below(MAX_PIECES) : 0));
  const kept = new Map(some.map((raw) => [raw, isLong ? raw : cutOut(raw, random)]));
  return { ...recording, records: recording.records.flatMap((raw) => (hasTrace(raw) ? (kept.get(raw) ?? []) : raw)) };
}

/** Keeps the trace from one PSB to another. */
function cutOut(raw: RawRecord, random: Random): RawRecord {
  const { trace } = raw;
  const starts: number[] = [];
  for (let at = trace.indexOf(PSB); at !== -1; at = trace.indexOf(PSB, at + PSB.length)) starts.push(at);
  const first = random.below(starts.length);
  return withTrace(raw, trace.subarray(starts[first], starts[first + 1 + random.below(MAX_PSBS)]));
}

function randomPatch(sizes: Source['sizes'], random: Random): Patch {
  const file = random.pick(['kcore', 'kcore', 'kallsyms'] as const);
  const isHeader = file === 'kcore' && random.oneIn(2);
  return { file, at: random.below(isHeader ? HEADERS_BYTES : sizes[file]), byte: random.below(256) };
}

function writePatches(path: string, patches: readonly Patch[]): void {
  for (const { file, at, byte } of patches) {
    const copy = openSync(join(path, 'kcore_dir', file), 'r+');
    writeSync(copy, Buffer.of(byte), 0, 1, at);
    closeSync(copy);
  }
}
