/**
 * Sorts the files that were dropped together by what they are: their first bytes decide, and names only for what was
 * recorded next to a recording.
 */
import { PtflameError } from '../../model/errors.js';
import { isPack, isRecording } from '../../perfdata/recognize.js';
import { isTraceFile } from '../../trace/file/format.js';

export interface DroppedFiles<Content = File> {
  /** A recording, a pack, an imported trace, or text; several texts may make up one trace. */
  readonly inputs: readonly Input<Content>[];
  /** Recordings of wakings, and notes of events and of how it was recorded, by the end of their name. */
  readonly beside: readonly Content[];
  /** Programs, libraries, files with their debug information, and code that a JIT compiler made. */
  readonly binaries: readonly Content[];
}

export interface Input<Content = File> {
  readonly kind: 'recording' | 'pack' | 'stored' | 'text';
  readonly content: Content;
}

const BESIDE = /\.(?:wakes\.data|formats|ptflame\.json)$/;
const BINARIES = ['\x7fELF', 'JiTD', 'DTiJ'];

/** What is known of a file. */
interface Named {
  readonly name: string;
}

/** `first`: some hundred bytes of each file. @throws PtflameError INPUT_KIND if they do not belong together */
export function sortDropped<Content extends Named>(
  files: readonly (readonly [content: Content, first: Uint8Array])[],
): DroppedFiles<Content> {
  const inputs: Input<Content>[] = [];
  const beside: Content[] = [];
  const binaries: Content[] = [];
  for (const [content, first] of files) {
    const text = String.fromCharCode(...first.subarray(0, 4));
    if (BESIDE.test(content.name)) beside.push(content);
    else if (BINARIES.some((magic) => text.startsWith(magic))) binaries.push(content);
    else inputs.push({ kind: kindOf(first), content });
  }
  // a folder with a recording or with its binaries has other files, too
  const main = inputs.filter(({ kind }) => kind !== 'text');
  refuse(inputs, main, binaries);
  return { inputs: main.length > 0 ? main : inputs, beside, binaries };
}

function kindOf(first: Uint8Array): Input['kind'] {
  if (isRecording(first)) return 'recording';
  if (isPack(first)) return 'pack';
  return isTraceFile(first) ? 'stored' : 'text';
}

function refuse(inputs: readonly Input<Named>[], main: readonly Input<Named>[], binaries: readonly Named[]): void {
  const [first, second] = main.map(({ content }) => content.name);
  if (first !== undefined && second !== undefined)
    throw new PtflameError(
      'INPUT_KIND',
      `${first} and ${second} are two recordings, and the page shows one at a time`,
      {
        hint: `drop one of them; the command line compares two: \`ptflame diff ${first} ${second} -o diff.html\``,
      },
    );
  if (inputs.length > 0) return;
  const what =
    binaries.length > 0 ? 'a program or library, not a recording of one' : 'what belongs to a recording, without it';
  throw new PtflameError('INPUT_KIND', `this is ${what}`, { hint: 'drop the recording together with it' });
}
