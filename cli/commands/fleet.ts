/**
 * `ptflame fleet`: answers questions about many recordings.
 */

import type { Fleet } from '../../src/fleet/open-fleet.js';
import { askFunctions, askGrowth, askOutliers, askSql, groupsOf, summaryOf } from '../../src/fleet/questions.js';
import type { FleetAnswer } from '../../src/fleet/schema.js';
import { PtflameError } from '../../src/model/errors.js';
import { PTFLAME_VERSION } from '../../src/model/version.js';
import { visibleText } from '../../src/render/visible-text.js';
import { nameMatcher } from '../../src/trace/records/thread-names.js';
import { fleetCsv, fleetLines } from '../answers/fleet.js';
import { openFolder } from '../fleet/open-folder.js';
import type { FleetOptions } from '../options/fleet.js';
import { openAnswer } from '../output/answer.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';

export async function fleet(options: FleetOptions, signal: AbortSignal): Promise<void> {
  refuseTwoQuestions(options);
  refuseOverwriting([options.directory], options.output ?? ['-']);
  const output = await openAnswer(options, []);
  const opened = await openFolder(options.directory, options, signal);
  try {
    const answer = await answerOf(opened, options);
    const text = (width: number) => fleetLines(answer, width, options.top);
    await output.write({ json: () => answer, text, csv: () => fleetCsv(answer) });
  } finally {
    opened.close();
  }
}

function refuseTwoQuestions({ compare, from, against, outliers, sql, match }: FleetOptions): void {
  const given = [compare && '--compare', outliers && '--outliers', sql !== undefined && '--sql'].filter(Boolean);
  const refuse = (message: string, hint: string) => {
    throw new PtflameError('BAD_OPTION', message, { hint });
  };
  if (given.length > 1) refuse(`${given.join(' and ')} are different questions`, 'ask one at a time');
  if (compare === undefined && (from ?? against) !== undefined)
    refuse('--from and --against need --compare', 'add --compare build');
  if (sql !== undefined && match) refuse('--match has no effect on --sql', "use WHERE regexp_matches(name, '…')");
}

async function answerOf(fleet: Fleet, options: FleetOptions): Promise<FleetAnswer> {
  const { compare: by, outliers, sql } = options;
  const minShare = options.minShare / 100;
  const isOther = by !== undefined || outliers || sql !== undefined;
  return {
    format: 'ptflame-fleet',
    version: 2,
    producer: { name: 'ptflame', version: PTFLAME_VERSION },
    fleet: await summaryOf(fleet),
    leftOut: [...fleet.leftOut],
    functions: isOther ? null : matching(await askFunctions(fleet), options),
    growth: by === undefined ? null : await growthOf(fleet, by, options, minShare),
    outliers: outliers ? matching(await askOutliers(fleet, { minShare }), options) : null,
    sql: sql === undefined ? null : await askSql(fleet, sql),
  };
}

async function growthOf(fleet: Fleet, by: 'build' | 'host', options: FleetOptions, minShare: number) {
  const groups = await groupsOf(fleet, by);
  const unknown = [options.from, options.against].find((name) => name !== undefined && !groups.includes(name));
  if (unknown !== undefined) throw noSuchGroup(`there is no ${by} ${visibleText(unknown)}`, groups);
  const isClear = groups.length === 2 || (options.from !== undefined && options.against !== undefined);
  if (!isClear) throw noSuchGroup(`--compare ${by} needs --from and --against unless there are two`, groups);
  const from = options.from ?? (groups.find((name) => name !== options.against) as string);
  const against = options.against ?? (groups.findLast((name) => name !== from) as string);
  const rows = await askGrowth(fleet, { by, from, against, minShare });
  return { by, from, against, rows: matching(rows, options) };
}

function noSuchGroup(message: string, groups: readonly string[]): PtflameError {
  const names = groups.map((name) => visibleText(name) || "'' (unknown)");
  return new PtflameError('BAD_OPTION', message, { hint: `the folder has: ${names.join(', ')}` });
}

function matching<Row extends { readonly name: string }>(rows: Row[], { match }: Pick<FleetOptions, 'match'>): Row[] {
  if (!match) return rows;
  const isMatch = nameMatcher(match, [...new Set(rows.map(({ name }) => name))]);
  return rows.filter(({ name }) => isMatch(name));
}
