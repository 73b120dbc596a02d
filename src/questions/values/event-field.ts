/**
 * Finds the field of an event that a user named.
 */
import { PtflameError } from '../../model/errors.js';
import type { SampleField, SampleTable } from '../../model/samples/sample-table.js';
import { argumentsOf, eventsText, findEvent } from '../../pipeline/replay/questions/find-event.js';

/** Without a field, it is the only one. @throws PtflameError NOT_RECORDED or BAD_OPTION */
export function eventField(
  name: string,
  samples: readonly SampleTable[],
): { readonly table: SampleTable; readonly field: SampleField } {
  const colon = name.lastIndexOf(':');
  const event = findEvent(name, samples);
  const table = event ?? findEvent(name.slice(0, Math.max(0, colon)), samples);
  if (table === null) throw noSuchEvent(colon > 0 ? name.slice(0, colon) : name, samples);
  const wanted = event ? argumentsOf(table) : [name.slice(colon + 1)];
  const field = wanted.length === 1 ? table.fields.find((field) => field.name === wanted[0]) : undefined;
  if (field) return { table, field };
  const fields = argumentsOf(table);
  if (fields.length === 0 || !event) throw noSuchField(table, event ? 'values' : `value ${wanted[0]}`);
  throw new PtflameError('BAD_OPTION', `${table.event} has several values: ${fields.join(', ')}`, {
    hint: `name one of them, such as ${table.event}:${fields[0]}`,
  });
}

function noSuchEvent(name: string, samples: readonly SampleTable[]): PtflameError {
  return new PtflameError('NOT_RECORDED', `the trace has no event ${name}`, {
    hint: `${eventsText(samples)}; ${recordedBy(name)}`,
  });
}

/** "ptflame record --waits=full records it". */
function recordedBy(name: string): string {
  if (/(^|:)sched_switch$/.test(name)) return 'ptflame record --waits=full records it';
  if (/(^|:)(sched_waking|sys_(enter|exit)_futex)$/.test(name)) return 'ptflame record --waits records it';
  return 'ptflame record --probe records others';
}

function noSuchField(table: SampleTable, what: string): PtflameError {
  const has = argumentsOf(table).join(', ') || 'none';
  return new PtflameError('NOT_RECORDED', `${table.event} has no ${what}`, {
    hint: `it has ${has}; record others with --probe 'NAME=FILE:FUNCTION VALUE=%di'`,
  });
}
