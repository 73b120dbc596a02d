/**
 * What a pprof profile says about itself: the types of its values, when it was recorded, and what is lost or inferred.
 */
import type { PbfWriter } from 'pbf';
import type { Profile } from '../../model/profile/profile.js';
import { descriptionOf } from '../description.js';
import { type Measure, measuresOf } from '../measures.js';
import { writeBigVarintField } from '../proto-writer.js';
import { wallClock } from '../recorded-at.js';
import { ProfileField, ValueTypeField } from './fields.js';
import type { StringTable } from './string-table.js';

/** Interns its texts at once; returns what writes it. */
export function headOf(profile: Profile, strings: StringTable): (writer: PbfWriter) => void {
  const { meta } = profile;
  const types = measuresOf(meta).map((measure) => internType(measure, strings)); // some tools show the first one as samples
  const shown = strings.intern(meta.weight === 'calls' ? 'calls' : 'wall');
  const comments = descriptionOf(profile).map((text) => strings.intern(text));
  const recordedAt = wallClock(meta)?.(meta.startNs) ?? null;
  return (writer) => {
    for (const type of types) writer.writeMessage(ProfileField.SampleType, writeType, type);
    writer.writeVarintField(ProfileField.DefaultSampleType, shown);
    if (recordedAt !== null) writeBigVarintField(ProfileField.TimeNanos, recordedAt, writer);
    if (meta.weight === 'ns') writer.writeVarintField(ProfileField.DurationNanos, meta.endNs - meta.startNs);
    for (const comment of comments) writer.writeVarintField(ProfileField.Comment, comment);
  };
}

/** Rows of the string table. */
interface InternedType {
  readonly type: number;
  readonly unit: number;
}

function internType({ name, unit }: Measure, strings: StringTable): InternedType {
  return { type: strings.intern(name), unit: strings.intern(unit) };
}

function writeType({ type, unit }: InternedType, writer: PbfWriter): void {
  writer.writeVarintField(ValueTypeField.Type, type);
  writer.writeVarintField(ValueTypeField.Unit, unit);
}
