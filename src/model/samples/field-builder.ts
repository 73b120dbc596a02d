/**
 * Collects the values of one field of an event.
 */
import { float64Column } from '../columns.js';
import { askForMemory } from '../memory-watch.js';
import type { NumberStyle, SampleField } from './sample-table.js';
import { inOrder } from './time-order.js';

const BYTES_PER_TEXT = 16;
const ASK_AGAIN_BYTES = 1024 * 1024;

/** A field is of numbers until it gets a text. */
export class FieldBuilder {
  private readonly name: string;
  private readonly style: NumberStyle;
  private readonly numbers = float64Column();
  private texts: string[] | null = null;
  /** Texts that no watcher of memory knows of yet. */
  private unaskedBytes = 0;

  constructor(name: string, style: NumberStyle) {
    this.name = name;
    this.style = style;
  }

  /** `row`: after those set before. */
  setNumber(row: number, value: number): void {
    if (this.texts !== null) return this.addText(this.texts, row, numberText(value, this.style));
    this.fill(row);
    this.numbers.push(value);
  }

  setText(row: number, value: string): void {
    this.texts ??= Array.from(this.numbers.view(), (number) => numberText(number, this.style));
    this.addText(this.texts, row, value);
  }

  /** `firstRow`: of the field's first value, after those set before. */
  append(firstRow: number, { numbers, texts }: SampleField): void {
    if (texts !== null) for (let row = 0; row < texts.length; row++) this.setText(firstRow + row, texts[row] as string);
    else if (this.texts === null) {
      this.fill(firstRow);
      this.numbers.append(numbers);
    } else for (let row = 0; row < numbers.length; row++) this.setNumber(firstRow + row, numbers[row]);
  }

  /** `length`: of the table. `order`: null, if its rows are in order. */
  build(length: number, order: Uint32Array | null): SampleField {
    const { name, style, texts, numbers } = this;
    this.fill(length);
    if (texts === null) return { name, style, numbers: inOrder(numbers.view(), order), texts: null };
    return {
      name,
      style,
      numbers: null,
      texts: order === null ? texts : Array.from(order, (row) => texts[row] as string),
    };
  }

  private addText(texts: string[], row: number, value: string): void {
    this.fill(row);
    texts.push(value);
    this.unaskedBytes += value.length + BYTES_PER_TEXT;
    if (this.unaskedBytes < ASK_AGAIN_BYTES) return;
    askForMemory(this.unaskedBytes);
    this.unaskedBytes = 0;
  }

  /** Gives the rows up to this one no value, unless they have one. */
  private fill(row: number): void {
    const { texts, numbers } = this;
    if (texts === null) while (numbers.length < row) numbers.push(Number.NaN);
    else while (texts.length < row) texts.push('');
  }
}

/** Negative numbers are counted from 2^64 unless they are signed. */
export function numberText(value: number, style: NumberStyle): string {
  if (Number.isNaN(value)) return '';
  if (style === 'signed') return String(value);
  const unsigned = BigInt.asUintN(64, BigInt(value));
  return style === 'unsigned' ? String(unsigned) : `0x${unsigned.toString(16)}`;
}
