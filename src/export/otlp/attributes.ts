/**
 * Turns names and values into attributes, as OTLP has them in JSON.
 */
import { visibleText } from '../../render/visible-text.js';

/** A 64-bit integer is a text in the JSON of protocol buffers. */
export interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly boolValue: boolean };
}

/** Numbers are rounded to integers; null and undefined: not known. */
export type AttributeValue = string | number | boolean | null | undefined;

/** Leaves out what is not known. Texts are made visible: names may have any characters. */
export function attributesOf(values: Readonly<Record<string, AttributeValue>>): Attribute[] {
  return Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === null || value === undefined) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: visibleText(value) } }];
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }];
    return [{ key, value: { intValue: String(Math.round(value)) } }];
  });
}
