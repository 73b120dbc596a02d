/**
 * Turns the tables of a folder back into a profile: the call trees of all recordings, added up by command name, host or build.
 */

import { BUCKETS, bucketOf, type FunctionDurations } from '../../model/calls/durations.js';
import { isOrdered, orderedTree } from '../../model/calls/tree-view.js';
import type { MergedBy, Profile } from '../../model/profile/profile.js';
import { noInferences, noLines, type Quality } from '../../model/profile/profile.js';
import { SymbolKind, type SymbolTable, symbolRanks } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import { type Group, groupedProfile } from '../grouped-profile.js';
import type { Fleet } from '../open-fleet.js';
import { checkKnown, checkTime } from './check-tables.js';
import { type FleetSymbols, readSymbols } from './read-symbols.js';
import { damagedPaths, groupName, readTrees } from './read-trees.js';

/** Durations are not known by command name: the tables have them for each recording as a whole. */
export async function mergeTables(fleet: Fleet, by: MergedBy): Promise<Profile> {
  const symbols = await readSymbols(fleet);
  await checkTime(fleet.engine, 'recordings', 'duration_ns');
  const trees = await readTrees(fleet, by, symbols);
  const durations = by === 'comm' ? null : await readDurations(fleet, by, symbols);
  const rank = symbolRanks(symbols.table);
  const groups: Group[] = [];
  for (const [name, unordered] of trees) {
    const tree = orderedTree(unordered, rank);
    if (!isOrdered(tree, rank)) throw await damagedPaths(fleet.engine); // a caller has a function twice
    groups.push({ name, tree, durations: durations?.get(name) ?? null, hiddenNs: 0 });
  }
  const selfNs = groups.reduce((sum, { tree }) => tree.selfNs.reduce((own, ns) => own + ns, sum), 0);
  if (!Number.isSafeInteger(selfNs)) await checkTime(fleet.engine, 'paths', 'self_ns');
  const { meta, quality } = await readRecordings(fleet, groups, symbols.table);
  return groupedProfile(groups, by, symbols.table, meta, () => quality);
}

async function readDurations(
  { engine }: Fleet,
  by: 'host' | 'build',
  { symbolsOf }: FleetSymbols,
): Promise<Map<string, FunctionDurations>> {
  const [names, functions, lows, calls] = (await engine.columns(`
    SELECT ${groupName(by)}, d.function, CAST(d.bucket_low_ns AS DOUBLE), CAST(sum(d.calls) AS DOUBLE)
    FROM durations AS d JOIN recordings AS r ON r.id = d.id
    GROUP BY ALL`)) as [string[], BigInt64Array, Float64Array, Float64Array];
  const symbols = symbolsOf(functions);
  if (symbols.includes(NONE)) await checkKnown(engine, 'durations');
  const groups = new Map<string, DurationRow[]>();
  names.forEach((name, at) => {
    const row = { symbol: symbols[at], bucket: bucketOf(lows[at]), calls: calls[at] };
    const rows = groups.get(name);
    if (rows === undefined) groups.set(name, [row]);
    else rows.push(row);
  });
  return new Map([...groups].map(([name, rows]) => [name, durationsOf(rows)]));
}

interface DurationRow {
  readonly symbol: SymbolId;
  readonly bucket: number;
  readonly calls: number;
}

function durationsOf(all: DurationRow[]): FunctionDurations {
  const sums = new Map<number, DurationRow>();
  for (const row of all) {
    const key = row.symbol * BUCKETS + row.bucket;
    sums.set(key, { ...row, calls: row.calls + (sums.get(key)?.calls ?? 0) });
  }
  const rows = [...sums.values()].sort((a, b) => a.symbol - b.symbol || a.bucket - b.bucket);
  return {
    length: rows.length,
    symbol: Int32Array.from(rows, ({ symbol }) => symbol),
    bucket: Int32Array.from(rows, ({ bucket }) => bucket),
    calls: Float64Array.from(rows, ({ calls }) => calls),
  };
}

type Totals = [
  recordings: number,
  events: number,
  lostNs: number,
  durationNs: number,
  hasSwitches: boolean | null,
  gaps: number,
];

async function readRecordings({ engine }: Fleet, groups: readonly Group[], { kind }: SymbolTable) {
  const { rows } = await engine.rows(`
    SELECT
      CAST(count(*) AS DOUBLE), CAST(sum(r.events) AS DOUBLE), CAST(sum(r.lost_ns) AS DOUBLE), CAST(sum(r.duration_ns) AS DOUBLE),
      CASE WHEN min(r.has_switches) = max(r.has_switches) AND count(r.has_switches) = count(*) THEN min(r.has_switches) END,
      (SELECT CAST(coalesce(sum(f.calls), 0) AS DOUBLE) FROM functions AS f WHERE f.kind = 'stop' AND f.name = '[lost]')
    FROM recordings AS r`);
  const [recordings, events, lostNs, durationNs, hasSwitches, gaps] = rows[0] as Totals;
  return {
    meta: { scope: 'user' as const, weight: 'ns' as const, hasSwitches, durationNs, recordings },
    quality: qualityOf({ events, lostNs, gaps }, groups, kind),
  };
}

/** The tables have times, losses and inferred calls, not their causes: all inferred calls count as one kind. */
function qualityOf(
  { events, lostNs, gaps }: { readonly events: number; readonly lostNs: number; readonly gaps: number },
  groups: readonly Group[],
  kind: SymbolTable['kind'],
): Quality {
  const times = { inferredNs: 0, unknownNs: 0, totalNs: 0 };
  const inferredCalls = noInferences();
  for (const { tree } of groups)
    for (let node = 0; node < tree.length; node++) {
      times.totalNs += tree.selfNs[node];
      times.inferredNs += tree.inferredNs[node];
      if (kind[tree.symbol[node]] !== SymbolKind.Synthetic) inferredCalls.OpenAtStart += tree.inferredCalls[node];
      if (kind[tree.symbol[node]] === SymbolKind.Unknown) times.unknownNs += tree.selfNs[node];
    }
  const lost = { cause: 'others', code: null, message: 'losses of the recordings', file: null, gaps, lostNs } as const;
  return {
    ...{ ...noLines(), lines: events, events },
    ...{ firstDamaged: [], brokenInputs: [], unknownFlags: [], unknownFlagLines: 0 },
    ...{ losses: lostNs > 0 || gaps > 0 ? [lost] : [], gaps: [], threadsCut: 0 },
    ...{ inferredCalls, inferredEvents: 0, clockSteps: 0, lostNs, hiddenNs: 0, ...times },
  };
}
