/**
 * Turns values of attributes into offsets, references and texts, with what their unit says of where these are.
 */
import type { AttributeValue } from './forms.js';
import { Attribute, type DebugFile, type Unit } from './units.js';

/** Returns the offset in a section that a value is; null: it is none. */
export function offsetOf(value: AttributeValue | undefined): number | null {
  return value?.kind === 'offset' || value?.kind === 'number' ? value.value : null;
}

/** An entry of a file. */
export interface Reference {
  readonly file: DebugFile;
  /** Offset in `.debug_info`. */
  readonly at: number;
}

/** Returns the entry that a value of a unit refers to; null: none, or in a file that is missing. */
export function referenceIn({ file, at, split }: Unit, value: AttributeValue | undefined): Reference | null {
  switch (value?.kind) {
    case 'unitReference':
      return { file, at: at + value.value };
    case 'sectionReference':
      return { file, at: (split?.info ?? 0) + value.value };
    case 'sharedReference':
      return file.shared && { file: file.shared, at: value.value };
    default:
      return null;
  }
}

/** Returns the text that a value of a unit is; null: none, or in a file that is missing. @throws DwarfFault */
export function textIn(unit: Unit, value: AttributeValue | undefined): string | null {
  const { sections } = unit.file;
  switch (value?.kind) {
    case 'text':
      sections.budget.keep(value.text);
      return value.text;
    case 'textOffset':
      return sections.text(value.section, value.value);
    case 'sharedText':
      return unit.file.shared?.sections.text('.debug_str', value.value) ?? null;
    case 'textIndex':
      return indexedText(unit, value.value);
    default:
      return null;
  }
}

function indexedText({ file: { sections }, attributes, version, offsetBytes, split }: Unit, index: number): string {
  // the binary's units say where their offsets are; those of a .dwo follow the header that DWARF 5 has: a length, a version
  const headerBytes = version >= 5 ? 2 * offsetBytes : 0;
  const base =
    split === null ? (offsetOf(attributes.get(Attribute.StrOffsetsBase)) ?? 0) : split.textOffsets + headerBytes;
  const offset = sections.window('.debug_str_offsets', base + index * offsetBytes, offsetBytes).unsigned(offsetBytes);
  return sections.text('.debug_str', offset);
}
