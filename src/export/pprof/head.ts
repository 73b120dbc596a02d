/**
 * What a pprof profile says about itself: the types of its values, when it was recorded, and what is lost or inferred.
 */
import type { PbfWriter } from 'pbf';
import type { Profile } from '../../model/profile/profile.js';
import { qualitySummary } from '../../render/quality-summary.js';
import { visibleText } from '../../render/visible-text.js';
import { writeBigVarintField } from '../proto-writer.js';
import { recordedAtNs } from '../recorded-at.js';
import { ProfileField, ValueTypeField } from './fields.js';
import { defaultType, type SampleType, sampleTypes } from './sample-types.js';
import type { StringTable } from './string-table.js';

/** Interns its texts at once; returns what writes it. */
export function headOf(profile: Profile, strings: StringTable): (writer: PbfWriter) => void {
  const { meta } = profile;
  const types = sampleTypes(meta).map((type) => internType(type, strings));
  const shown = strings.intern(defaultType(meta));
  const comments = commentsOf(profile).map((text) => strings.intern(visibleText(text)));
  const recordedAt = recordedAtNs(meta);
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

function internType({ type, unit }: SampleType, strings: StringTable): InternedType {
  return { type: strings.intern(type), unit: strings.intern(unit) };
}

function writeType({ type, unit }: InternedType, writer: PbfWriter): void {
  writer.writeVarintField(ValueTypeField.Type, type);
  writer.writeVarintField(ValueTypeField.Unit, unit);
}

/** `pprof -comments` prints them. */
function commentsOf(profile: Profile): string[] {
  const { line, damage, warnings, notes } = qualitySummary(profile);
  const part = profile.meta.part === null ? [] : [`only ${profile.meta.part}`];
  return [line, ...part, ...damage, ...warnings, ...notes];
}
