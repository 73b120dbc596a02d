/**
 * Kind of fuzzing: generated packets and code through the decoder. It must end, and count what it could not decode.
 */
import type { AnyCase, Kind } from '../kind.js';
import { Random } from '../random.js';
import { placedPieces, randomCase, randomSettings } from './cases.js';
import { OwnDecoder } from './decode-own.js';
import { CODE_BASE, type Program, randomProgram } from './program.js';
import type { TracePiece, TraceSettings } from './recording.js';

/** As many cases share a program, and a decoder. */
const CASES_PER_PROGRAM = 1000;
/** Per byte of trace: branches that need no packet are at most 100,000. */
const MAX_LINES = 2_000_000;
const KNOWN_ERRORS = /error (?:3|5|6|7|10) /;

interface StreamCase extends AnyCase {
  readonly pieces: readonly TracePiece[];
}

interface Recorded {
  readonly group: number;
  readonly program: Program;
  readonly settings: TraceSettings;
  readonly decoder: OwnDecoder;
}

export function packetStreams(seed: number): Kind<StreamCase> {
  let recorded: Recorded | null = null;
  const recordedOf = (group: number): Recorded => {
    if (recorded?.group !== group) recorded = newRecorded(seed, group);
    return recorded;
  };
  return {
    make(number) {
      const { program, settings } = recordedOf(Math.floor(number / CASES_PER_PROGRAM));
      const random = new Random(seed * 7 + 3, number);
      const placed = placedPieces(randomCase(random, number % CASES_PER_PROGRAM, program, settings), 0);
      const bytes = Buffer.from(placed.flatMap((piece) => [...piece.bytes]));
      return { number, bytes, steps: [JSON.stringify(settings)], pieces: placed };
    },
    sizeOf: () => 1,
    async check({ number, pieces }) {
      const { events, errors } = recordedOf(Math.floor(number / CASES_PER_PROGRAM)).decoder.decode(pieces);
      if (events.length + errors.length > MAX_LINES)
        throw new Error(`${events.length} events, ${errors.length} errors`);
      const unknown = errors.find((line) => !KNOWN_ERRORS.test(line));
      if (unknown !== undefined) throw new Error(`unknown error: ${unknown}`);
      await new Promise(setImmediate); // reports leave only when the worker pauses
      return { parserMs: 0 };
    },
    isText: false,
  };
}

function newRecorded(seed: number, group: number): Recorded {
  const random = new Random(seed, group);
  const program = randomProgram(random, 20 + random.below(200));
  const settings = randomSettings(random);
  const files = [
    { path: 'code', start: CODE_BASE, length: Math.ceil(program.bytes.length / 4096) * 4096, bytes: program.bytes },
  ];
  return { group, program, settings, decoder: new OwnDecoder({ settings, files, allBranches: random.oneIn(2) }) };
}
