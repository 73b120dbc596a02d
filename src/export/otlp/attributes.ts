/**
 * Turns names and values into attributes, as OTLP has them in JSON.
 */
import { visibleText } from '../../render/visible-text.js';
import type { SpanValues } from '../requests/span-values.js';

/** A 64-bit integer is a text in the JSON of protocol buffers. */
export interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly boolValue: boolean };
}

/** Leaves out what is not known. Numbers are rounded to integers. Texts are made visible: names may have any characters. */
export function attributesOf(values: SpanValues): Attribute[] {
  return Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === null || value === undefined) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: visibleText(value) } }];
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }];
    return [{ key, value: { intValue: String(Math.round(value)) } }];
  });
}
