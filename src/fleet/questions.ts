/**
 * Answers questions about all recordings of a folder from the views of sql/views.sql.
 */

import { PERCENTILES } from '../model/percentiles.js';
import type { Cell, Rows } from './engine.js';
import { checkCallers, checkRows, type Fleet } from './open-fleet.js';
import type { FleetAnswer, FleetFunction, FleetGrowth, FleetOutlier } from './schema.js';

export type GroupedBy = 'build' | 'host';

/** What is counted. */
export async function summaryOf({ engine }: Fleet): Promise<FleetAnswer['fleet']> {
  const [row] = await rowsOf<FleetAnswer['fleet']>(
    engine.rows(`
      SELECT
        sum(t.recordings) AS "recordings", count(DISTINCT t.host) AS "hosts", count(DISTINCT t.build) AS "builds",
        sum(t.total_ns) AS "totalNs"
      FROM recorded_time AS t`),
  );
  return row as FleetAnswer['fleet'];
}

/** Returns all functions, by total time. */
export async function askFunctions({ engine }: Fleet): Promise<FleetFunction[]> {
  return rowsOf<FleetFunction>(
    engine.rows(`
      SELECT
        f.name AS "name", f.file AS "dso", f.kind AS "kind", f.recordings AS "recordings",
        f.calls AS "calls", f.inferred_calls AS "inferred", f.unwound_calls AS "unwound",
        f.total_ns AS "totalNs", f.self_ns AS "selfNs", f.outside_ns AS "outsideNs", f.inferred_ns AS "inferredNs",
        f.avg_ns AS "avgNs", f.min_ns AS "minNs", f.max_ns AS "maxNs", f.longest_cut_ns AS "longestCutNs",
        ${PERCENTILES.map(({ key }) => `p.${key.replace('Ns', '_ns')} AS "${key}"`).join(', ')}
      FROM fleet_functions AS f
      LEFT JOIN fleet_percentiles AS p ON p.function = f.function
      ORDER BY f.total_ns DESC, f.name, f.file, f.function`),
  );
}

/**
 * Returns the functions whose average differs, the largest growth first. `minShare`: of the time of `against` that a
 * function must have; averages of rare calls vary by chance.
 */
export async function askGrowth(
  { engine }: Fleet,
  { by, from, against, minShare }: { by: GroupedBy; from: string; against: string; minShare: number },
): Promise<FleetGrowth[]> {
  return rowsOf<FleetGrowth>(
    engine.rows(
      `
      SELECT
        g.name AS "name", g.file AS "dso", g.growth AS "growth", g.from_avg_ns AS "fromAvgNs",
        g.against_avg_ns AS "againstAvgNs", g.pairs AS "pairs", g.against_total_ns AS "againstTotalNs"
      FROM growth AS g
      WHERE g.grouped_by = $1 AND g.from_group = $2 AND g.against_group = $3
        AND g.growth IS NOT NULL AND g.growth <> 0
        AND g.against_total_ns >= ${minShare} * (SELECT sum(t.total_ns) FROM recorded_time AS t WHERE t.${by} = $3)
      ORDER BY g.growth DESC, g.name, g.file, g.function`,
      [by, from, against],
    ),
  );
}

/** A score from which on a value is unusual: Iglewicz and Hoaglin's. */
const MIN_SCORE = 3.5;
/** With fewer hosts, none is unlike the others. */
const MIN_HOSTS = 4;
/** Smaller differences are not worth a look, however sure they are. */
const MIN_GROWTH = 0.1;

/** Returns the functions of hosts that are unlike the other hosts with the same build, the largest difference first. */
export async function askOutliers({ engine }: Fleet, { minShare }: { minShare: number }): Promise<FleetOutlier[]> {
  return rowsOf<FleetOutlier>(
    engine.rows(`
      SELECT
        o.name AS "name", o.file AS "dso", o.build AS "build", o.host AS "host", o.hosts AS "hosts", o.avg_ns AS "avgNs",
        o.median_ns AS "medianNs", o.growth AS "growth", o.score AS "score", o.total_ns AS "totalNs"
      FROM host_outliers AS o
      JOIN recorded_time AS t ON t.build = o.build AND t.host = o.host
      WHERE o.hosts >= ${MIN_HOSTS} AND abs(o.growth) >= ${MIN_GROWTH} AND coalesce(o.score, ${MIN_SCORE}) >= ${MIN_SCORE}
        AND o.total_ns >= ${minShare} * t.total_ns
      ORDER BY abs(o.growth) DESC, o.host, o.build, o.name, o.file, o.function`),
  );
}

/** Returns the builds or hosts, the first recorded one first. */
export async function groupsOf({ engine }: Fleet, by: GroupedBy): Promise<string[]> {
  const { rows } = await engine.rows(
    `SELECT coalesce(r.${by}, '') FROM recordings AS r GROUP BY 1 ORDER BY min(r.started_at) NULLS FIRST, 1`,
  );
  return rows.map(([group]) => String(group));
}

/** Returns the rows of a user's query. @throws PtflameError BAD_OPTION unless it is one SELECT that can be run */
export async function askSql({ engine }: Fleet, sql: string): Promise<NonNullable<FleetAnswer['sql']>> {
  if (/paths/i.test(sql)) await checkRows(engine, 'paths');
  if (/recursive/i.test(sql)) await checkCallers(engine); // what walks paths would not end in a circle
  const { columns, rows } = await engine.ask(sql);
  return { columns: [...columns], rows: rows.map((row) => [...row]) };
}

/** Makes an object of each row. Times beyond 2^53 ns (104 days) are rounded. */
async function rowsOf<Row>(answer: Promise<Rows>): Promise<Row[]> {
  const { columns, rows } = await answer;
  const rounded = (column: string, value: Cell | undefined) =>
    column.endsWith('Ns') && value !== null ? Number(value) : value;
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, rounded(column, row[at])])) as Row);
}
