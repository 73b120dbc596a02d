/**
 * Writes what Perfetto shows in its overview of a trace: where it was recorded, and what was left out.
 */
import type { PbfWriter } from 'pbf';
import type { LongestCalls } from '../../model/calls/call-events.js';
import type { TraceMeta } from '../../model/profile/profile.js';
import type { Wakings } from '../../model/profile/timeline.js';
import { formatCount, formatMany } from '../../render/format.js';
import { shellWords, visibleText } from '../../render/visible-text.js';
import { leftOutText } from '../left-out.js';
import { writeTextField } from '../proto-writer.js';
import { MAX_DEPTH } from './deep-calls.js';
import { ATTRIBUTE, ATTRIBUTES } from './fields.js';

export type Attributes = readonly (readonly [key: string, value: string])[];

type MaybeAttributes = readonly (readonly [key: string, value: string | null])[];

/** `deep`: how many calls are left out because they are nested too deeply. */
export function attributesOf(meta: TraceMeta, calls: LongestCalls, deep: number, wakings: Wakings | null): Attributes {
  return known([
    ...recordedAttributes(meta),
    ['calls left out', leftOutText(calls)],
    ['deep calls left out', deep === 0 ? null : `${formatMany(deep, 'call')} below ${MAX_DEPTH} others`],
    ['wakings left out', wakings && leftOutWakings(wakings)],
  ]);
}

/** Where and how it was recorded, and which part of it is shown. */
export function recordedAttributes({ recorded, part }: TraceMeta): MaybeAttributes {
  return [
    ['host', recorded?.host ?? null],
    ['kernel', recorded?.kernel ?? null],
    ['cpu', recorded?.cpu ?? null],
    ['perf', recorded?.perf ?? null],
    ['command', recorded?.command ? shellWords(recorded.command) : null],
    ['recorded at', recorded?.startedAt ?? null],
    ['selected', part],
  ];
}

/** Leaves out what is null. */
export function known(attributes: MaybeAttributes): Attributes {
  return attributes.filter((entry): entry is readonly [string, string] => entry[1] !== null);
}

function leftOutWakings({ leftOut }: Wakings): string | null {
  const count = leftOut.reduce((sum, slice) => sum + slice, 0);
  return count === 0 ? null : `${formatCount(count)} that ended the shortest waits`;
}

export function writeAttributes(attributes: Attributes, writer: PbfWriter): void {
  for (const attribute of attributes) writer.writeMessage(ATTRIBUTES.attribute, writeAttribute, attribute);
}

function writeAttribute([key, value]: readonly [key: string, value: string], writer: PbfWriter): void {
  writeTextField(ATTRIBUTE.key, key, writer);
  writeTextField(ATTRIBUTE.text, visibleText(value), writer);
}
