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
export function attributesOf(...all: readonly SpanValues[]): Attribute[] {
  const attributes: Attribute[] = [];
  for (const values of all)
    for (const key of Object.keys(values)) {
      const value = values[key];
      if (value !== null && value !== undefined) attributes.push({ key, value: attributeValue(value) });
    }
  return attributes;
}

function attributeValue(value: string | number | boolean): Attribute['value'] {
  if (typeof value === 'string') return { stringValue: visibleText(value) };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(Math.round(value)) };
}
