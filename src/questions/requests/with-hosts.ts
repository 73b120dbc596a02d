/**
 * Reads the trace of each host, and hands them all to a function: they are open for as long as it runs.
 */
import type { SpansQuestion } from '../../analysis/log/spans.js';
import { type FunctionSet, functionSet } from '../../analysis/questions.js';
import { PtflameError } from '../../model/errors.js';
import { UNBOUNDED } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { AskableTrace } from '../../pipeline/ask-threads.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import type { Trace } from '../../pipeline/read/trace.js';
import { filterOf } from '../../pipeline/replay/selection.js';
import { type WorkResources, withTrace } from '../../pipeline/with-trace.js';
import {
  type CallsToList,
  callsOfTrace,
  openTrace,
  readOptions,
  traceWaitsOf,
  type WaitsOptions,
} from '../waits/ask-waits.js';
import { type NamedFlow, namedFlow } from './named-flow.js';
import { type FlowPattern, flowSide, type RequestsOptions } from './request-question.js';
import { type HostTrace, HostWaits } from './scene.js';

/** @throws PtflameError as `analyze`, and NO_SUCH_FUNCTION or NOT_RECORDED if something is on none of the hosts */
export function withHosts<Result>(
  hosts: readonly InputHost[],
  question: RequestsOptions,
  options: AnalyzeOptions,
  work: (hosts: readonly HostTrace[]) => Promise<Result>,
): Promise<Result> {
  const found = new FoundOnSome();
  const shared = { ...options, openTraces: hosts.length, asksAgain: true };
  const openFrom = (opened: readonly HostTrace[]): Promise<Result> => {
    if (opened.length === hosts.length) return work(opened);
    const { name, inputs } = hosts[opened.length];
    let prepared: Prepared | null = null;
    const callsToList = (askable: AskableTrace): SpansQuestion => {
      prepared = prepare(askable, question, found);
      if (opened.length === hosts.length - 1) found.requireAll();
      return selectedCalls(withTaking(prepared), askable, options);
    };
    return withTrace(inputs, readOptions(shared), async (read, resources) => {
      const traced = await hostWaits(read, shared, resources, (question.flows ?? []).length === 0, callsToList);
      if (traced === null || prepared === null) throw withoutCalls(name);
      return openFrom([...opened, { name, traced, calls: traced.calls, ...prepared }]);
    });
  };
  return openFrom([]);
}

/** Lists the calls of functions in the selected time. */
export function selectedCalls(functions: FunctionSet, askable: AskableTrace, options: AnalyzeOptions): SpansQuestion {
  const window = filterOf(options, askable.symbols, askable.trace)?.window ?? UNBOUNDED;
  return { calls: { functions, durations: null }, window };
}

/** `asksWaits`: they will be needed. Returns null if the trace has no calls. */
async function hostWaits(
  read: Trace,
  options: WaitsOptions,
  resources: WorkResources,
  asksWaits: boolean,
  callsToList: CallsToList,
): Promise<HostWaits | null> {
  if (asksWaits) {
    const traced = await traceWaitsOf(read, options, resources, callsToList);
    return traced.calls && HostWaits.of(traced, traced.calls);
  }
  const { trace, threads } = openTrace(read, options);
  if (trace.store.tids.length === 0) return null;
  return new HostWaits(trace, threads, await callsOfTrace(trace, options, resources, callsToList));
}

interface Prepared {
  readonly functions: FunctionSet;
  readonly flows: readonly NamedFlow[];
}

function prepare(askable: AskableTrace, { root, flows = [], id }: RequestsOptions, found: FoundOnSome): Prepared {
  const functions = found.find('root', () => askable.functions(root)) ?? functionSet([], 0);
  const named = flows.map((flow, row) => flowOf(flow, row, askable, found));
  if (id !== undefined && named.every((flow) => !mayHaveKeys(flow))) throw withoutKeys();
  return { functions, flows: named };
}

function flowOf({ push, pop }: FlowPattern, row: number, { trace }: AskableTrace, found: FoundOnSome): NamedFlow {
  const side = (text: string, name: string) => found.find(`${name} ${row}`, () => flowSide(text, trace.samples));
  return namedFlow(side(push, 'push'), side(pop, 'pop'), trace);
}

function mayHaveKeys({ push, pop }: NamedFlow): boolean {
  return push?.key !== null && pop?.key !== null;
}

/** Also the functions in which work is taken. */
function withTaking({ functions, flows }: Prepared): FunctionSet {
  const taking = flows.flatMap(({ takenIn }) => takenIn.map(({ symbol }) => symbol));
  const size = Math.max(functions.length, ...taking.map((symbol) => symbol + 1));
  return functionSet(taking, size).map((flag, symbol) => flag | (functions[symbol] ?? 0));
}

function withoutCalls(host: string | null): PtflameError {
  const recording = host === null ? 'the recording' : `the recording of ${host}`;
  return new PtflameError('NO_BRANCHES', `requests are calls of a function, and ${recording} has no calls`, {
    hint: 'record with Intel PT: ptflame record --waits, without --no-trace; or probe the function: --probe NAME=FILE:FUNCTION%calls',
  });
}

function withoutKeys(): PtflameError {
  return new PtflameError('BAD_OPTION', 'ids are found in the keys of flows, and no flow has keys', {
    hint: 'name the argument that has the id: --flow PUSH:KEY=POP:KEY',
  });
}

/** What need not be on every host, but on one of them. */
class FoundOnSome {
  private readonly found = new Set<string>();
  private readonly errors = new Map<string, PtflameError>();

  /** Returns null instead of throwing that it is missing. `what`: the same for all hosts. */
  find<Value>(what: string, find: () => Value): Value | null {
    try {
      const value = find();
      this.found.add(what);
      return value;
    } catch (error) {
      if (!(error instanceof PtflameError) || !MISSING.has(error.code)) throw error;
      if (!this.errors.has(what)) this.errors.set(what, error);
      return null;
    }
  }

  /** @throws PtflameError the first error about something that was not found on any host */
  requireAll(): void {
    for (const [what, error] of this.errors) if (!this.found.has(what)) throw error;
  }
}

const MISSING: ReadonlySet<string> = new Set(['NO_SUCH_FUNCTION', 'NOT_RECORDED']);

interface InputHost {
  /** null: the only one, or not known. */
  readonly name: string | null;
  readonly inputs: readonly AnalyzedInput[];
}

/**
 * `names`: by input; null or missing: as recorded.
 *
 * @throws PtflameError BAD_OPTION if some hosts are not known, and the others are several, or named
 */
export function inputHosts(inputs: readonly AnalyzedInput[], names: readonly (string | null)[]): InputHost[] {
  const hosts = inputs.map((input, row) => names[row] ?? recordedHost(input));
  const known = [...new Set(hosts.filter((name) => name !== null))];
  const unknown = hosts.indexOf(null);
  const isNamed = names.some((name) => name !== null);
  if (known.length < 2 && !(isNamed && unknown >= 0)) return [oneHost(known[0] ?? null, inputs)];
  if (unknown >= 0) throw unknownHost(inputs[unknown].name);
  return known.map((name) =>
    oneHost(
      name,
      inputs.filter((_, row) => hosts[row] === name),
    ),
  );
}

/** One machine may have several names, such as those of its containers: the user says that they are one host. */
function oneHost(name: string | null, inputs: readonly AnalyzedInput[]): InputHost {
  return { name, inputs: name === null ? inputs : inputs.map((input) => recordedOn(name, input)) };
}

function recordedOn(host: string, input: AnalyzedInput): AnalyzedInput {
  if (!('recorded' in input) || input.recorded === null) return input;
  return { ...input, recorded: { ...input.recorded, host } };
}

/** Text and imported traces do not say it. */
function recordedHost(input: AnalyzedInput): string | null {
  return 'recorded' in input ? (input.recorded?.host ?? null) : null;
}

function unknownHost(name: string): PtflameError {
  return new PtflameError('BAD_OPTION', `the host that recorded ${name} is not known, but that of other inputs is`, {
    hint: `name it: --host '${name}=HOST'`,
  });
}
