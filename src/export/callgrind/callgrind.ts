/**
 * Writes a profile for callgrind_annotate and KCachegrind: the cost of each function, and of the calls between any two.
 */
import { assert } from '../../model/errors.js';
import { symbolOrder } from '../../model/profile/file-order.js';
import type { Profile } from '../../model/profile/profile.js';
import { PTFLAME_VERSION } from '../../model/version.js';
import { shellWords, visibleText } from '../../render/visible-text.js';
import { descriptionOf } from '../description.js';
import { type Measure, measuresOf, valuesOfTrees } from '../measures.js';
import { type CallRow, Costs } from './costs.js';
import { type Place, placesOf } from './places.js';
import { References } from './references.js';

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
