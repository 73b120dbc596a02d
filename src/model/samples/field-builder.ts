/**
 * Collects the values of one field of an event.
 */
import { float64Column } from '../columns.js';
import type { NumberStyle, SampleField } from './sample-table.js';
import { inOrder } from './time-order.js';

/** A field is of numbers until it gets a text. */
export class FieldBuilder {
  private readonly name: string;
  private readonly style: NumberStyle;
  private readonly numbers = float64Column();
  private texts: string[] | null = null;

  constructor(name: string, style: NumberStyle) {
    this.name = name;
    this.style = style;
  }

  /** `row`: after those set before. */
  setNumber(row: number, value: number): void {
    if (this.texts !== null) return this.addText(this.texts, row, numberText(value, this.style));
    while (this.numbers.length < row) this.numbers.push(Number.NaN);
    this.numbers.push(value);
  }

  setText(row: number, value: string): void {
    this.texts ??= Array.from(this.numbers.view(), (number) => numberText(number, this.style));
    this.addText(this.texts, row, value);
  }

  /** `firstRow`: of the field's first value, after those set before. */
  append(firstRow: number, { numbers, texts }: SampleField): void {
    if (texts !== null) texts.forEach((text, row) => void this.setText(firstRow + row, text));
    else numbers.forEach((number, row) => void (Number.isNaN(number) || this.setNumber(firstRow + row, number)));
  }

  build(order: Uint32Array): SampleField {
    const { name, style, texts, numbers } = this;
    if (texts) return { name, style, numbers: null, texts: Array.from(order, (row) => texts[row] ?? '') };
    while (numbers.length < order.length) numbers.push(Number.NaN);
    return { name, style, numbers: inOrder(numbers.values, order), texts: null };
  }

  private addText(texts: string[], row: number, value: string): void {
    while (texts.length < row) texts.push('');
    texts.push(value);
  }
}

/** Negative numbers are counted from 2^64 unless they are signed. */
export function numberText(value: number, style: NumberStyle): string {
  if (Number.isNaN(value)) return '';
  if (style === 'signed') return String(value);
  const unsigned = BigInt.asUintN(64, BigInt(value));
  return style === 'unsigned' ? String(unsigned) : `0x${unsigned.toString(16)}`;
}
