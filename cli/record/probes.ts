/**
 * Plans the probes of a recording: a group of its own, added before it and removed after it.
 */
import { join, resolve } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { functionExits } from '../../src/pipeline/decode/function-exits.js';
import { RETURN_SUFFIX } from '../../src/pipeline/read/probed-calls.js';
import { formatCount } from '../../src/render/format.js';
import { similarNames } from '../../src/render/similar-names.js';
import { shellWords } from '../../src/render/visible-text.js';
import { type BinaryFunction, type BinaryNames, readNames } from '../../src/symbols/functions.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import type { Probe } from '../options/values.js';
import type { RecordOptions } from './options.js';

export interface PlannedProbe {
  readonly probe: Probe;
  /** Add it. */
  readonly commands: readonly (readonly string[])[];
  /** Where in the file it is; null: perf finds that. */
  readonly offsets: readonly number[] | null;
}

export interface ProbesPlan {
  readonly group: string;
  readonly probes: readonly PlannedProbe[];
  /** What perf record records: a function that is inlined has several probes, numbered. */
  readonly events: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the binaries. `tracing`: the directory of tracefs. @throws PtflameError if a probe is unclear or kills programs */
export function planProbes({ probe, perf }: RecordOptions, group: string, tracing: string | null): ProbesPlan | null {
  if (probe === undefined) return null;
  const warnings: string[] = [];
  const planner: Planner = {
    perf,
    group,
    tracing: tracing ?? '/sys/kernel/tracing',
    warn: (text) => warnings.push(text),
  };
  const probes = probe.map((each) => planProbe(each, planner));
  return { group, probes, events: [`${group}:*`], warnings };
}

interface Planner {
  readonly perf: string;
  readonly group: string;
  readonly tracing: string;
  readonly warn: (text: string) => void;
}

function planProbe(probe: Probe, planner: Planner): PlannedProbe {
  const names = namesIn(probe.file);
  const functions = names === null || probe.symbol.includes('@') ? [] : functionsOf(probe, names);
  if (probe.at === 'return' && names !== null) checkReturn(probe, names, planner);
  if (probe.at === 'returns' || probe.at === 'calls') return planReturns(probe, names, functions, planner);
  const added = (definition: string, name = probe.name) => [
    ...[planner.perf, 'probe', `--exec=${probe.file}`, `--add=${planner.group}:${name}=${definition}`],
  ];
  const [first] = functions;
  if (first === undefined || (first.symbol === probe.symbol && !first.isMangled && PLAIN.test(probe.symbol)))
    return { probe, commands: [added(probe.definition)], offsets: null };
  const suffix = `${probe.at === 'return' ? '%return' : ''}${probe.args}`;
  if (needsDebugInfo(probe.args)) {
    const symbol = probe.offset === 0 ? first.symbol : `${first.symbol}+${probe.offset}`;
    return { probe, commands: [added(`${symbol}${suffix}`)], offsets: null };
  }
  const offsets = functions.map(({ start }) => start + probe.offset);
  const commands = offsets.map((at, index) => added(`${hex(at)}${suffix}`, numbered(probe.name, index)));
  return { probe, commands, offsets };
}

/** Symbols that perf understands and finds by itself. */
const PLAIN = /^[A-Za-z_.$][^\s:/;=+%(<~]*$/;

/** Null: not an x86-64 binary, or not readable; perf says which. */
function namesIn(file: string): BinaryNames | null {
  return readNames(resolve(file), DISK_FILES, { root: '', cache: null });
}

/** Returns functions with one symbol; none: perf may know a plain name from debug information. */
function functionsOf({ name, file, symbol }: Probe, names: BinaryNames): readonly BinaryFunction[] {
  const found = names.named(symbol);
  const different = [...new Map(found.map((each) => [each.symbol, each])).values()];
  if (different.length > 1)
    throw new PtflameError(
      'NO_SUCH_TARGET',
      `--probe ${name}: ${different.length} functions of ${file} are ${symbol}`,
      {
        hint: 'choose one of these, by more of its name or by its symbol:',
        output: shortened(different.map(choiceText)),
      },
    );
  if (found.length === 0 && !PLAIN.test(symbol)) throw noFunction(name, file, symbol, names);
  return found;
}

const MAX_LISTED = 10;

function shortened(names: readonly string[]): string[] {
  const more = names.length - MAX_LISTED;
  return [...names.slice(0, MAX_LISTED), ...(more > 0 ? [`and ${formatCount(more)} more`] : [])];
}

function choiceText({ name, symbol }: BinaryFunction): string {
  return name === symbol ? name : `${name} (${symbol})`;
}

function noFunction(name: string, file: string, symbol: string, names: BinaryNames): PtflameError {
  return new PtflameError('NO_SUCH_TARGET', `--probe ${name}: ${file} has no function ${symbol}`, {
    hint: similarFunctions(symbol, names) ?? `list its functions: nm -C ${file}`,
  });
}

/** For a probe that perf cannot add: its function may be mistyped. */
export function similarTo({ file, symbol }: Probe): string | null {
  const names = namesIn(file);
  return names === null || names.named(symbol).length > 0 ? null : similarFunctions(symbol, names);
}

function similarFunctions(symbol: string, names: BinaryNames): string | null {
  const [, wanted = symbol, last = symbol] = /^((?:.*::)?([^(]*))/.exec(symbol) ?? [];
  const all = names.names();
  const similar = [wanted, last].map((each) => similarNames(each, all)).find(({ length }) => length > 0) ?? [];
  return similar.length === 0 ? null : `did you mean ${similar.join(', ')}?`;
}

/** perf turns variables into registers and memory; the kernel reads these, and constants, itself. */
function needsDebugInfo(args: string): boolean {
  return args.split(/\s+/).some((arg) => arg !== '' && !/^(?:\w+=)?[%$@+\-\\]/.test(arg));
}

/** The kernel replaces the address to return to, where whoever walks the stack finds it. */
function checkReturn(
  { name, file, definition, symbol, args }: Probe,
  { isGo, unwinds }: BinaryNames,
  planner: Planner,
): void {
  const other = shellWords(['--probe', `${name}=${file}:${symbol}%returns${inRegisters(args)}`]);
  if (isGo)
    throw new PtflameError('BAD_OPTION', `--probe ${name}: %return kills Go programs, as they move their stacks`, {
      hint: `probe each return instruction instead: ${other}`,
    });
  if (unwinds)
    planner.warn(
      `warning: the probe ${definition} kills the program if an exception or a panic passes through ${symbol}; this is safe: ${other}`,
    );
}

/** At a return instruction, the result is in the register. */
function inRegisters(args: string): string {
  return args.replace(/\$retval\b/g, '%ax');
}

/** Puts one probe at all returns, and for calls one at the entry. perf would make several. */
function planReturns(
  probe: Probe,
  names: BinaryNames | null,
  functions: readonly BinaryFunction[],
  { group, tracing, warn }: Planner,
): PlannedProbe {
  const { name, file, symbol } = probe;
  const refuse = (why: string, hint: string) => new PtflameError('NO_SUCH_TARGET', `--probe ${name}: ${why}`, { hint });
  if (names === null) throw refuse(`cannot read ${file} as an x86-64 binary`, 'check the path');
  if (functions.length === 0) throw noFunction(name, file, symbol, names);
  if (needsDebugInfo(probe.args) || probe.offset !== 0)
    throw refuse(`%${probe.at} takes registers and memory only`, `such as '${symbol}%returns value=%ax'`);
  if (/\s/.test(resolve(file))) throw refuse(`the kernel takes no blanks in ${file}`, 'link it under another name');
  const exits = functions.map((each) => functionExits(file, [each, ...names.coldPartsOf(each.symbol)], DISK_FILES));
  const known = exits.filter((each) => each !== null);
  if (known.length < exits.length)
    throw refuse(`the code of ${symbol} cannot be read`, `probe its callers, or where they go on`);
  const targets = [...new Set(known.flatMap(({ jumpTargets }) => jumpTargets))].map(
    (at) => names.nameAt(at) ?? hex(at),
  );
  const offsets = known.flatMap(({ returns }) => returns);
  if (offsets.length === 0)
    throw refuse(
      `${symbol} has no return instruction`,
      `it goes on in ${shortened(targets).join(', ') || 'another function'}`,
    );
  if (targets.length > 0)
    warn(
      `warning: the probe ${name} misses calls of ${symbol} that end with a jump to ${shortened(targets).join(', ')}`,
    );
  const args = inRegisters(probe.args);
  if (probe.at === 'returns')
    return { probe, offsets, commands: [appendProbes({ tracing, group, name, file, offsets, args })] };
  const entries = functions.map(({ start }) => start + branchTargetBytes(file, start));
  const [entry, exit] = [
    { name, offsets: entries, args: `${STACK_POINTER}${args}` },
    { name: `${name}${RETURN_SUFFIX}`, offsets, args: `${STACK_POINTER} value=%ax` },
  ].map((each) => appendProbes({ tracing, group, file, ...each }));
  return { probe, offsets: [...entries, ...offsets], commands: [entry, exit] as PlannedProbe['commands'] };
}

/** Points to the return address at the entry and at each return, so that these belong together. */
export const STACK_POINTER = ' sp=%sp';
const ENDBR64 = Buffer.from([0xf3, 0x0f, 0x1e, 0xfa]);

/** An instruction that only marks the entry is slow to probe. Returns how many bytes it has: 0 if there is none. */
function branchTargetBytes(path: string, start: number): number {
  const file = DISK_FILES.open(path);
  const isMarked = file !== null && ENDBR64.equals(file.read(start, ENDBR64.length));
  file?.close();
  return isMarked ? ENDBR64.length : 0;
}

interface ProbesAt {
  readonly tracing: string;
  readonly group: string;
  readonly name: string;
  readonly file: string;
  readonly offsets: readonly number[];
  readonly args?: string;
}

/** Returns the command that puts one probe at several instructions. */
export function appendProbes({ tracing, group, name, file, offsets, args = '' }: ProbesAt): readonly string[] {
  const lines = offsets.map((at) => `p:${group}/${name} ${resolve(file)}:${hex(at)}${args}`);
  return ['sh', '-c', APPEND, join(tracing, 'uprobe_events'), ...lines];
}

const APPEND = 'printf "%s\\n" "$@" >> "$0"';

function hex(offset: number): string {
  return `0x${offset.toString(16)}`;
}

/** As perf does. */
export function numbered(name: string, index: number): string {
  return index === 0 ? name : `${name}_${index}`;
}

/** Returns the command that removes a group of probes. */
export function removalCommand(perf: string, group: string): readonly string[] {
  return [perf, 'probe', '--quiet', `--del=${group}:*`];
}
