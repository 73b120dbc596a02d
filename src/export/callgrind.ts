/**
 * Writes a profile for callgrind_annotate and KCachegrind: the cost of each function, and of the calls between any two.
 */

import { outermostNodes } from '../analysis/tree/functions.js';
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { totalTimes } from '../model/calls/tree-view.js';
import { float64Column } from '../model/columns.js';
import { assert } from '../model/errors.js';
import { symbolOrder } from '../model/profile/file-order.js';
import type { Profile } from '../model/profile/profile.js';
import { dsoOf, lineOf, type SymbolTable } from '../model/symbol-table.js';
import type { NodeId } from '../model/units.js';
import { PTFLAME_VERSION } from '../model/version.js';
import { threadNoun } from '../render/format.js';
import { frameNames } from '../render/frames/frame-table.js';
import { shellWords, visibleText } from '../render/visible-text.js';
import { descriptionOf, type Measure, measuresOf, threadName, valuesOfTrees } from './shared.js';

/**
 * Sums up call trees by function and by pair of caller and callee, as callgrind files have them.
 *
 * The calls from one function to another.
 */
interface CallRow {
  readonly callee: number;
  readonly calls: number;
  /** By measure, with all callees. */
  readonly costs: Float64Array;
}

/**
 * Functions and threads are numbered alike, functions first. A call costs what it took with its callees, unless its
 * function was on the stack already: then it costs nothing. So the calls of a function cost its total, in which
 * recursion counts once.
 */
class Costs {
  /** By function, then measure: without callees. */
  private readonly self: Float64Array;
  /** By pair, then calls and measures. */
  private readonly values = float64Column();
  private readonly rows = new Map<number, number>();

  constructor(
    private readonly functions: number,
    private readonly measures: number,
  ) {
    this.self = new Float64Array(functions * measures);
  }

  /** `caller`: of functions without a caller; `functionOf`: by symbol; `own`: the values of each measure, by node. */
  add(tree: CallTree, caller: number, functionOf: Int32Array, own: readonly Float64Array[]): void {
    const { length, parent, symbol } = tree;
    const totals = own.map((values) => totalTimes({ parent, selfNs: values }));
    const isOutermost = outermostNodes(tree);
    for (let node: NodeId = ROOT + 1; node < length; node++) {
      const callee = functionOf[symbol[node]];
      const row = this.rowOf(parent[node] === ROOT ? caller : functionOf[symbol[parent[node]]], callee);
      this.values.values[row] += tree.calls[node];
      own.forEach((values, measure) => {
        this.self[callee * this.measures + measure] += values[node];
        if (isOutermost[node]) this.values.values[row + 1 + measure] += (totals[measure] as Float64Array)[node];
      });
    }
  }

  /** By measure; threads have none. */
  selfOf(caller: number): Float64Array {
    const row = caller * this.measures;
    return row < this.self.length ? this.self.subarray(row, row + this.measures) : new Float64Array(this.measures);
  }

  /** By measure: of everything. */
  sum(): Float64Array {
    const sum = new Float64Array(this.measures);
    for (let row = 0; row < this.self.length; row++) sum[row % this.measures] += this.self[row];
    return sum;
  }

  /** Yields the calls of each function, then of each thread, callees in the order of their numbers. `callers`: how many. */
  *callsOfEach(callers: number): Generator<readonly CallRow[]> {
    const pairs = Float64Array.from(this.rows.keys()).sort();
    for (let caller = 0, at = 0; caller < callers; caller++) {
      const calls: CallRow[] = [];
      for (; at < pairs.length && pairs[at] < (caller + 1) * this.functions; at++) calls.push(this.callRow(pairs[at]));
      yield calls;
    }
  }

  private callRow(pair: number): CallRow {
    const row = this.rows.get(pair) as number;
    const { values } = this.values;
    return {
      callee: pair % this.functions,
      calls: values[row],
      costs: values.subarray(row + 1, row + 1 + this.measures),
    };
  }

  private rowOf(caller: number, callee: number): number {
    const pair = caller * this.functions + callee;
    const known = this.rows.get(pair);
    if (known !== undefined) return known;
    const row = this.values.length;
    this.rows.set(pair, row);
    for (let value = 0; value <= this.measures; value++) this.values.push(0);
    return row;
  }
}

/** Where costs are in a callgrind file: functions, then threads, which call the functions without a caller. */
interface Place {
  readonly name: string;
  /** Its source file, and its binary. */
  readonly file: string;
  readonly binary: string;
  /** The line where the function begins; 0: unknown. */
  readonly line: number;
}

/** What readers show for a file that is not known. */
const UNKNOWN = '???';

function placesOf(symbols: SymbolTable, { threads, meta }: Pick<Profile, 'threads' | 'meta'>): readonly Place[] {
  const functions = frameNames(symbols).map((name, row) => {
    const at = lineOf(symbols, row);
    const [file, binary] = [at?.file ?? UNKNOWN, dsoOf(symbols, row) ?? UNKNOWN].map(visibleText) as [string, string];
    return { name, file, binary, line: at?.line ?? 0 };
  });
  const callers = threads.map((thread) => {
    const name = meta.merged ? visibleText(thread.comm ?? '') : threadName(thread);
    return { name: `${threadNoun(meta)} ${name}`, file: UNKNOWN, binary: UNKNOWN, line: 0 };
  });
  return [...functions, ...callers];
}

/** Yields the file. Each thread of the profile must have its own tree. The same profile gives the same text. */
export function* renderCallgrind(profile: Profile): Generator<string> {
  assert(profile.together === null, 'a profile of threads whose trees are one');
  const { table, rankOf } = symbolOrder(profile);
  const measures = timesFirst(measuresOf(profile.meta));
  const costs = costsOf(profile, rankOf, table.length, measures);
  const places = placesOf(table, profile);
  const references = new References();
  yield headerOf(profile, measures, costs);
  let row = 0;
  for (const calls of costs.callsOfEach(places.length)) {
    const self = costs.selfOf(row);
    const place = places[row++] as Place;
    if (calls.length === 0 && self.every((cost) => cost === 0)) continue;
    yield `\n${references.caller(place)}${place.line} ${self.join(' ')}\n`;
    for (const call of calls) yield callText(call, place, places[call.callee] as Place, references);
  }
}

/** Readers sort by the first one. */
function timesFirst(measures: readonly Measure[]): readonly Measure[] {
  const isTime = ({ unit }: Measure) => unit === 'nanoseconds';
  return [...measures.filter(isTime), ...measures.filter((measure) => !isTime(measure))];
}

function costsOf(profile: Profile, rankOf: Int32Array, functions: number, measures: readonly Measure[]): Costs {
  const valuesOf = valuesOfTrees(profile, measures);
  const costs = new Costs(functions, measures.length);
  profile.threads.forEach(({ tree }, thread) => {
    costs.add(tree, functions + thread, rankOf, valuesOf(tree));
  });
  return costs;
}

function headerOf(profile: Profile, measures: readonly Measure[], costs: Costs): string {
  const command = profile.meta.recorded?.command ?? [];
  const lines = [
    '# callgrind format',
    'version: 1',
    `creator: ptflame ${PTFLAME_VERSION}`,
    ...(command.length > 0 ? [`cmd: ${visibleText(shellWords(command))}`] : []),
    ...descriptionOf(profile).map((line) => `desc: ${line}`),
    'positions: line',
    `events: ${measures.map(({ name }) => eventName(name)).join(' ')}`,
    `summary: ${costs.sum().join(' ')}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** "on_cpu" → "OnCpu": names are letters only. */
function eventName(measure: string): string {
  return measure.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Readers take the cost of no calls for that of the function itself, so there is at least one: `Calls` has the number. */
function callText({ calls, costs }: CallRow, caller: Place, callee: Place, references: References): string {
  const head = `calls=${Math.max(1, calls)} ${callee.line}`;
  return `${references.callee(callee)}${head}\n${caller.line} ${costs.join(' ')}\n`;
}

/**
 * Refers to places in a callgrind file: a name is written once, with a number that stands for it later: `fn=(3) main`.
 */
class References {
  private readonly binaries = new Names();
  private readonly files = new Names();
  private readonly functions = new Names();

  /** The costs after it are of this place. */
  caller(place: Place): string {
    return this.lines('ob', 'fl', 'fn', place);
  }

  callee(place: Place): string {
    return this.lines('cob', 'cfi', 'cfn', place);
  }

  private lines(binary: string, file: string, name: string, place: Place): string {
    return [
      `${binary}=${this.binaries.reference(place.binary)}`,
      `${file}=${this.files.reference(place.file)}`,
      `${name}=${this.functions.reference(place.name)}`,
      '',
    ].join('\n');
  }
}

class Names {
  private readonly numbers = new Map<string, number>();

  reference(text: string): string {
    const known = this.numbers.get(text);
    if (known !== undefined) return `(${known})`;
    const number = this.numbers.size + 1;
    this.numbers.set(text, number);
    return `(${number}) ${textOf(text)}`;
  }
}

/** Readers drop spaces in front, and take a number without a text for a later use. */
function textOf(text: string): string {
  return text === '' ? '\\x00' : text.replace(/^ /, '\\x20');
}
