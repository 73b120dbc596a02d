/**
 * Finds the place that a trigger names in a running process: a function by its name, `FILE:LINE`, or an address as `nm` prints it.
 */
import { readFileSync } from 'node:fs';
import { PtflameError } from '../../../src/model/errors.js';
import { functionExits } from '../../../src/pipeline/decode/function-exits.js';
import { similarNames } from '../../../src/render/similar-names.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { codeOfLine, debugReader, functionsWithInlined } from '../../../src/symbols/debug-info.js';
import { type BinaryFunction, type BinaryNames, readNames } from '../../../src/symbols/functions.js';
import { loadFunctions } from '../../../src/symbols/load-binary.js';
import { DISK_FILES } from '../../../src/symbols/symbol-files.js';

/** A place in a file, as a process maps it. */
export interface Place {
  readonly name: string;
  /** Where this process sees the file: /proc/PID/root/usr/bin/server. */
  readonly file: string;
  /** Offset in the file. */
  readonly entry: number;
  /** How calls end that begin there; null: no function begins there, or its code cannot be read. */
  readonly exits: PlaceExits | null;
  /** Returns the address in the process of an offset in the file. */
  readonly addressOf: (offset: number) => number;
}

export interface PlaceExits {
  /** Offsets in the file. */
  readonly returns: readonly number[];
  /** Other functions that it ends by jumping to: calls that end so are not seen. */
  readonly jumpsTo: readonly string[];
}

interface MappedCode {
  readonly path: string;
  readonly start: number;
  readonly length: number;
  readonly offset: number;
}

/** "55ba11b17000-55ba11b18000 r-xp 00001000 fe:01 1234   /usr/bin/server". */
const LINE = /^([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ [1-9]\d*\s+(\/.*)$/gm;

/** Files that a process runs code of, its program first. */
export function mappedCode(maps: string): MappedCode[] {
  return Array.from(maps.matchAll(LINE), ([, from = '', to = '', offset = '', path = '']) => {
    const start = Number.parseInt(from, 16);
    return { path, start, length: Number.parseInt(to, 16) - start, offset: Number.parseInt(offset, 16) };
  });
}

/** A file that a process has mapped. */
interface MappedFile {
  readonly path: string;
  /** Of its own mount namespace. */
  readonly file: string;
  readonly code: readonly MappedCode[];
}

const ADDRESS = /^(?:(.+)\+)?0x([0-9a-f]{1,13})$/i;
/** `server.c:120`, but not `Queue::push`. */
const SOURCE = /^(.*[^:]):([1-9]\d{0,8})$/;
const ROOTS = { root: '', cache: null };
const MAX_LISTED = 10;

/**
 * `wanted`: a name of C, or of C++ or Rust, mangled or the end of it; or `server.c:120`; or `0x1234` of the program and
 * `libz.so.1+0x1234`, for which no symbols are needed. @throws PtflameError NO_SUCH_TARGET
 */
export async function findPlace(pid: number, wanted: string): Promise<Place> {
  const code = mappedCode(readMaps(pid));
  const files = [...new Set(code.map((each) => each.path))].map((path) => {
    return { path, file: `/proc/${pid}/root${path}`, code: code.filter((each) => each.path === path) };
  });
  const [, library, digits] = ADDRESS.exec(wanted) ?? [];
  if (digits !== undefined) return placeAtAddress(files, Number.parseInt(digits, 16), wanted, library);
  const [, source, line] = SOURCE.exec(wanted) ?? [];
  if (source !== undefined) return placeAtLine(files, source, Number(line), wanted);
  return placeByName(pid, files, wanted);
}

function readMaps(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'latin1');
  } catch (cause) {
    throw new PtflameError('NO_PERMISSION', `cannot read /proc/${pid}/maps`, {
      hint: 'use sudo for processes of other users',
      cause,
    });
  }
}

const refused = (message: string, hint: string, output?: readonly string[]) =>
  new PtflameError('NO_SUCH_TARGET', `--trigger: ${message}`, { hint, ...(output && { output }) });

async function placeByName(pid: number, files: readonly MappedFile[], wanted: string): Promise<Place> {
  const seen: (MappedFile & { readonly names: BinaryNames })[] = [];
  for (const mapped of files) {
    const names = namesOf(mapped);
    if (names === null) continue;
    const [found, second, ...others] = names.named(wanted);
    if (second !== undefined) throw ambiguous(wanted, [found as BinaryFunction, second, ...others]);
    if (found !== undefined) return functionPlace(mapped, names, found, found.name);
    seen.push({ ...mapped, names });
  }
  for (const mapped of seen) await refuseInlined(mapped, mapped.names, wanted);
  const similar = similarNames(
    wanted,
    seen.flatMap(({ names }) => names.names()),
  );
  throw refused(
    `process ${pid} has no function ${wanted}`,
    similar.length > 0
      ? `did you mean ${similar.join(', ')}?`
      : `list its functions: nm -C /proc/${pid}/exe; without symbols, pass an address: 0x1234`,
  );
}

function ambiguous(wanted: string, functions: readonly BinaryFunction[]): PtflameError {
  return refused(
    `${functions.length} functions are ${wanted}`,
    'choose one of these, by more of its name or by its symbol:',
    functions
      .slice(0, MAX_LISTED)
      .map(({ name, symbol }) => visibleText(name === symbol ? name : `${name} (${symbol})`)),
  );
}

/** An inlined function has no entry. */
async function refuseInlined({ file }: MappedFile, names: BinaryNames, wanted: string): Promise<void> {
  const reader = await debugReader(DEBUG_BYTES);
  const callers = functionsWithInlined(file, wanted, DISK_FILES, ROOTS, reader).map((offset) => names.nameAt(offset));
  const known = callers.filter((name) => name !== null);
  if (known.length === 0) return;
  throw refused(
    `${wanted} is inlined wherever it is called`,
    'take one of the functions that it is inlined into:',
    known.slice(0, MAX_LISTED).map(visibleText),
  );
}

/** What debug information may take in memory. */
const DEBUG_BYTES = 2 ** 31;

async function placeAtLine(files: readonly MappedFile[], source: string, line: number, wanted: string): Promise<Place> {
  for (const mapped of files) {
    const found = codeOfLine(mapped.file, source, line, DISK_FILES, ROOTS, await debugReader(DEBUG_BYTES));
    if (found === null) continue;
    const { offsets, nextLine } = found;
    const around = loadFunctions(mapped.file, null, DISK_FILES, ROOTS);
    const firsts = new Map(offsets.toReversed().map((offset) => [around(offset)?.start ?? offset, offset]));
    const [first, ...others] = [...firsts.values()].sort((a, b) => a - b);
    if (first === undefined)
      throw refused(
        `${wanted} has no code`,
        nextLine === null ? 'take an earlier line' : `the next line that has is ${source}:${nextLine}`,
      );
    if (others.length === 0) return placeAt(mapped, first, wanted);
    const names = namesOf(mapped);
    const addresses = [first, ...others].map((offset) => {
      const name = names?.nameAt(around(offset)?.start ?? offset);
      return `${addressText(mapped, files, names?.addressOf(offset) ?? offset)}${name ? ` (in ${visibleText(name)})` : ''}`;
    });
    throw refused(
      `${wanted} is in ${addresses.length} functions`,
      'choose one of these addresses:',
      addresses.slice(0, MAX_LISTED),
    );
  }
  throw refused(`no debug information has ${source}`, 'compile with -g, or take a function or an address');
}

/** As `--trigger` takes it. */
function addressText({ path }: MappedFile, [program]: readonly MappedFile[], address: number): string {
  const library = path === program?.path ? '' : `${path.slice(path.lastIndexOf('/') + 1)}+`;
  return `${library}0x${address.toString(16)}`;
}

function placeAtAddress(
  files: readonly MappedFile[],
  address: number,
  wanted: string,
  library: string | undefined,
): Place {
  const mapped = library === undefined ? files[0] : files.find(({ path }) => path.endsWith(`/${library}`));
  if (mapped === undefined)
    throw refused(`${library} is not mapped as code`, 'take the name of a file in /proc/PID/maps');
  const offset = namesOf(mapped)?.offsetOf(address);
  if (offset === undefined || Number.isNaN(offset) || !isMapped(mapped, offset))
    throw refused(`${wanted} is no address of code of ${mapped.path}`, 'take one that nm or objdump -d prints for it');
  return placeAt(mapped, offset, wanted);
}

/** A function if one begins there. */
function placeAt(mapped: MappedFile, offset: number, wanted: string): Place {
  const around = loadFunctions(mapped.file, null, DISK_FILES, ROOTS)(offset);
  const names = namesOf(mapped);
  if (around?.start !== offset || names === null) return { ...placeIn(mapped, wanted), entry: offset, exits: null };
  const [named] = names.named(names.symbolAt(offset) ?? '').filter(({ start }) => start === offset);
  return functionPlace(mapped, names, named ?? { ...around, symbol: null }, wanted);
}

function functionPlace(
  mapped: MappedFile,
  names: BinaryNames,
  { symbol, start, end }: { readonly symbol: string | null; readonly start: number; readonly end: number },
  name: string,
): Place {
  if (names.isGo) throw refused(`${name} is a function of Go, whose stacks move`, 'trigger by a function of C or C++');
  const cold = symbol === null ? [] : names.coldPartsOf(symbol);
  const exits = functionExits(mapped.file, [{ start, end }, ...cold], DISK_FILES);
  return {
    ...placeIn(mapped, name),
    entry: start,
    exits: exits && {
      returns: exits.returns,
      jumpsTo: [...new Set(exits.jumpTargets)].map((at) => names.nameAt(at) ?? `0x${names.addressOf(at).toString(16)}`),
    },
  };
}

function placeIn({ file, code }: MappedFile, name: string): Pick<Place, 'name' | 'file' | 'addressOf'> {
  return {
    name,
    file,
    addressOf: (offset) => {
      const mapping = code.find((each) => offset >= each.offset && offset < each.offset + each.length);
      if (mapping === undefined) throw refused(`${name} is not mapped as code`, 'is the program still starting?');
      return mapping.start + offset - mapping.offset;
    },
  };
}

function isMapped({ code }: MappedFile, at: number): boolean {
  return code.some(({ offset, length }) => at >= offset && at < offset + length);
}

function namesOf({ file }: MappedFile): BinaryNames | null {
  return readNames(file, DISK_FILES, ROOTS);
}
