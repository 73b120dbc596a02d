/**
 * Turns values of attributes into offsets, references and texts, with what their unit says of where these are.
 */
import type { AttributeValue } from './forms.js';
import type { DebugSections } from './sections.js';
import { Attribute, type Unit } from './units.js';

/** Returns the offset in a section that a value is; null: it is none. */
export function offsetOf(value: AttributeValue | undefined): number | null {
  return value?.kind === 'offset' || value?.kind === 'number' ? value.value : null;
}

/** Returns the offset in `.debug_info` of the entry that a value of a unit refers to; null: it is none, or in another file. */
export function referenceIn({ at }: Unit, value: AttributeValue | undefined): number | null {
  if (value?.kind === 'unitReference') return at + value.value;
  return value?.kind === 'sectionReference' ? value.value : null;
}

/** Returns the text that a value of a unit is; null: it is none. @throws DwarfFault */
export function textIn(sections: DebugSections, unit: Unit, value: AttributeValue | undefined): string | null {
  if (value?.kind === 'text') return value.text;
  if (value?.kind === 'textOffset') return sections.text(value.section, value.value);
  return value?.kind === 'textIndex' ? indexedText(sections, unit, value.value) : null;
}

function indexedText(sections: DebugSections, { attributes, offsetBytes }: Unit, index: number): string {
  const at = (offsetOf(attributes.get(Attribute.StrOffsetsBase)) ?? 0) + index * offsetBytes;
  const offset = sections.window('.debug_str_offsets', at, offsetBytes).unsigned(offsetBytes);
  return sections.text('.debug_str', offset);
}
