/**
 * Checks whether a function became slower, or is called more often, than a limit allows.
 */
import { PtflameError } from '../../model/errors.js';
import { SymbolKind } from '../../model/symbol-table.js';
import { type FunctionPattern, findFunctions } from '../../pipeline/replay/find-functions.js';
import type { Diff, DiffRow } from './schema.js';

export type LimitedNumber = 'avg' | 'total' | 'self' | 'calls' | 'p99';

export interface DiffLimit {
  /** Each function is checked on its own. */
  readonly functions: FunctionPattern;
  readonly number: LimitedNumber;
  /** The largest increase: a share of the number before, or nanoseconds or calls. */
  readonly increase: number;
  readonly isShare: boolean;
}

/** What was found of a limit. */
export interface CheckedLimit {
  readonly limit: DiffLimit;
  /** Functions whose numbers were compared. */
  readonly compared: number;
  /** Functions of the name, or that match, of which a side has no such number. */
  readonly notCompared: number;
  /** Functions whose p99 can only be within noise: BEFORE has too few calls to bound it. */
  readonly unbounded: number;
  readonly exceeded: readonly ExceededLimit[];
}

export interface ExceededLimit {
  readonly limit: DiffLimit;
  readonly row: DiffRow;
  readonly before: number;
  readonly after: number;
  /** The two numbers may differ by chance. */
  readonly isWithinNoise: boolean;
}

const COLUMNS = { avg: 'avgNs', total: 'totalNs', self: 'selfNs', calls: 'calls', p99: 'p99Ns' } as const;

/**
 * Returns what was found of each limit. `diff`: of all functions.
 *
 * @throws PtflameError NO_SUCH_FUNCTION if a limit is for no function, or for one without such a number
 */
export function checkLimits(diff: Diff, limits: readonly DiffLimit[]): CheckedLimit[] {
  const { functions } = diff;
  const symbols = {
    name: functions.map(({ name }) => name),
    kind: functions.map(({ isStop }) => (isStop ? SymbolKind.Synthetic : SymbolKind.Function)),
  };
  return limits.map((limit) => {
    const isLimited = findFunctions(limit.functions, symbols);
    const rows = functions.filter((_, at) => isLimited[at] === 1);
    const compared = rows.flatMap((row) => comparedRow(row, limit));
    if (compared.length === 0) throw notComparable(limit, rows);
    return {
      limit,
      compared: compared.length,
      notCompared: rows.length - compared.length,
      unbounded: limit.number === 'p99' ? compared.filter(({ row }) => isUnbounded(row)).length : 0,
      exceeded: compared.filter(({ before, after }) => after > before + limit.increase * (limit.isShare ? before : 1)),
    };
  });
}

/** Whether BEFORE has too few calls to bound p99: no p99 of AFTER is certainly above it. */
export function isUnbounded({ p99Range }: DiffRow): boolean {
  return p99Range.before !== null && p99Range.before.highNs === null;
}

/** A function that only BEFORE has is not compared: it may have another name now. */
function comparedRow(row: DiffRow, limit: DiffLimit): ExceededLimit[] {
  const { before, after } = row[COLUMNS[limit.number]];
  if (before === null || after === null || row.isGone) return [];
  const isWithinNoise = limit.number !== 'calls' && row.withinNoise[COLUMNS[limit.number]];
  return [{ limit, row, before, after, isWithinNoise }];
}

function notComparable({ number }: DiffLimit, [row]: readonly DiffRow[]): PtflameError {
  const what = `${row?.name}`;
  if (row?.isGone)
    return new PtflameError('NO_SUCH_FUNCTION', `AFTER has no function called ${what}`, {
      hint: 'it may have another name or be inlined now: name it as in AFTER, or leave out its limit',
    });
  const side = row && row[COLUMNS[number]].before === null ? 'BEFORE' : 'AFTER';
  const missing = number === 'p99' ? 'p99' : 'complete call';
  return new PtflameError(
    'NO_SUCH_FUNCTION',
    `${side} has no ${missing} of ${what}: its ${number} cannot be compared`,
    {
      hint: 'record for longer, or leave out its limit',
    },
  );
}
