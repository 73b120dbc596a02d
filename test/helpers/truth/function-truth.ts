/**
 * Reads the truth by function from the call trees that the generators of traces write.
 */
export interface FunctionTruth {
  readonly calls: number;
  /** Time on the stack; recursion counts once. */
  readonly totalNs: number;
  /** Time on top of the stack, or in a stop directly on it. */
  readonly ownNs: number;
}

/** Returns a name as graphs show it. */
export function visible(name: string): string {
  return name.replace(/;/g, ':').replace(/\n/g, ' ');
}

/** Rows [parent, name, calls, open, total, self, …]. */
export function gentraceFunctions(json: string): Map<string, FunctionTruth> {
  const { names, nodes } = JSON.parse(json) as { names: string[]; nodes: number[][] };
  const truth = new Map<string, FunctionTruth>();
  const paths: string[][] = [];
  for (const [parent = -1, nameRow = 0, calls = 0, , totalNs = 0, ownNs = 0] of nodes) {
    const below = paths[parent] ?? [];
    const name = visible(names[nameRow]);
    paths.push([...below, name]);
    add(truth, name, { calls, totalNs: below.includes(name) ? 0 : totalNs, ownNs });
  }
  return new Map([...truth].sort());
}

/** They only pass control on: how to show them is a matter of taste. */
const TRAMPOLINE = /@plt$|^_dl_runtime_resolve|^$/;

/** Reads one JSON object per line; uses the stacks that a stack walk would show. */
export function ptemuFunctions(jsonLines: string): Map<string, FunctionTruth> {
  const truth = new Map<string, FunctionTruth>();
  for (const line of jsonLines.split('\n').filter(Boolean)) {
    const row = JSON.parse(line) as PtemuRow;
    if (row.tree !== 'stack') continue;
    const name = row.path.at(-1) as string;
    if (TRAMPOLINE.test(name)) continue;
    const isInner = row.path.slice(0, -1).includes(name);
    add(truth, name, { calls: row.calls + row.begun, totalNs: isInner ? 0 : row.pt_total_ns, ownNs: row.pt_self_ns });
  }
  return new Map([...truth].sort());
}

interface PtemuRow {
  readonly tree?: string;
  readonly path: readonly string[];
  readonly calls: number;
  readonly begun: number;
  readonly pt_total_ns: number;
  readonly pt_self_ns: number;
}

function add(truth: Map<string, FunctionTruth>, name: string, { calls, totalNs, ownNs }: FunctionTruth): void {
  const old = truth.get(name) ?? { calls: 0, totalNs: 0, ownNs: 0 };
  truth.set(name, { calls: old.calls + calls, totalNs: old.totalNs + totalNs, ownNs: old.ownNs + ownNs });
}
