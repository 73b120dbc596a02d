/**
 * Marks each call with the conditions that it meets. A condition is a bit; a call also has the bits of its callers.
 */
import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { isComplete } from '../../model/profile/profile.js';
import { type CallFilter, type CallSelection, isDirectRecursion, isInSet } from '../questions.js';
import { type CallListener, OpenCall, walkCalls } from './walk-calls.js';

type Paths = Pick<CallTree, 'parent' | 'symbol'>;

interface Condition {
  readonly calls: CallSelection;
  /** By row of the log: 1 if the call that it opens has the wanted duration; null: any duration. */
  readonly rows: Uint8Array | null;
}

/** A call that knows which conditions it is inside of. */
export class MarkedCall extends OpenCall {
  /** The conditions that it or one of its callers meets, as bits. */
  bits = 0;
}

export class InsideMarker {
  /** The bits of all conditions. */
  readonly allBits: number;
  private readonly conditions: readonly Condition[];
  private readonly tree: Paths;

  constructor(log: CallLog, tree: Paths, { inside, root, foldsRecursion }: Omit<CallFilter, 'window'>) {
    const selections = [...inside, ...(root ? [{ functions: root, durations: null }] : [])];
    this.tree = tree;
    this.conditions = selections.map((calls) => {
      return { calls, rows: calls.durations && rowsByDuration(log, tree, calls, foldsRecursion) };
    });
    this.allBits = 2 ** selections.length - 1;
  }

  /** Must run when a call opens, or resumes on other calls. */
  mark(call: MarkedCall): void {
    const { conditions } = this;
    call.bits = call.below === null ? 0 : call.below.bits;
    for (let bit = 0; bit < conditions.length; bit++) if (this.meets(conditions[bit], call)) call.bits |= 1 << bit;
  }

  /** The call meets all conditions, so its time counts. */
  matches(call: MarkedCall | null): boolean {
    return this.allBits === 0 || (call !== null && call.bits === this.allBits);
  }

  private meets({ calls, rows }: Condition, call: OpenCall): boolean {
    return isInSet(calls.functions, this.tree.symbol[call.node]) && (rows === null || rows[call.row] === 1);
  }
}

/** By row of the log: 1 where a call begins that has the wanted duration. */
function rowsByDuration(
  log: CallLog,
  tree: Paths,
  { functions, durations }: CallSelection,
  foldsRecursion: boolean,
): Uint8Array {
  const rows = new Uint8Array(log.length);
  const { minNs, maxNs } = durations ?? { minNs: 0, maxNs: Number.POSITIVE_INFINITY };
  const listener: CallListener = {
    newCall: () => new OpenCall(),
    opened() {},
    closed(call, exitNs, ending) {
      const ns = exitNs - call.entryNs;
      if (foldsRecursion && isDirectRecursion(tree, call.node)) return; // part of the call below it
      if (isComplete(ending) && ns >= minNs && ns <= maxNs && isInSet(functions, tree.symbol[call.node]))
        rows[call.row] = 1;
    },
    spent() {},
  };
  walkCalls(log, listener);
  return rows;
}
