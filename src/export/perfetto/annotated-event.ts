/**
 * Writes an event with everything that is known of it, by name.
 */
import type { PbfWriter } from 'pbf';
import type { SpanValues } from '../requests/span-values.js';
import { ANNOTATION, EventType, INTERNED_DATA, TRACK_EVENT } from './fields.js';
import type { NewNames } from './interned.js';

/** A slice that begins, or an instant. */
export interface AnnotatedEvent {
  readonly isInstant: boolean;
  readonly name: string;
  /** null: none. */
  readonly category: string | null;
  readonly srcline?: { readonly file: string; readonly line: number } | undefined;
  readonly values: SpanValues;
  /** Flows that begin here, and that end here. */
  readonly flows: readonly number[];
  readonly lastFlows: readonly number[];
}

/** The same with numbers of names. */
export interface NumberedEvent extends Pick<AnnotatedEvent, 'isInstant' | 'flows' | 'lastFlows'> {
  readonly name: number;
  readonly category: number;
  readonly srcline: number;
  readonly annotations: readonly Annotation[];
}

/** `text`: the number of one; 0: it is an integer, or true. */
interface Annotation {
  readonly name: number;
  readonly text: number;
  readonly integer: number | true;
}

const NONE = 0;

export function numbered(event: AnnotatedEvent, names: NewNames): NumberedEvent {
  const { isInstant, name, category, srcline, values, flows, lastFlows } = event;
  return {
    isInstant,
    name: names.idOf(INTERNED_DATA.eventNames, name),
    category: category === null ? NONE : names.idOf(INTERNED_DATA.categories, category),
    srcline: srcline ? names.idOf(INTERNED_DATA.sourceLocations, srcline.file, srcline.line) : NONE,
    annotations: annotationsOf(values, names),
    flows,
    lastFlows,
  };
}

/** Leaves out what is not known, or false. */
function annotationsOf(values: SpanValues, names: NewNames): Annotation[] {
  const annotations: Annotation[] = [];
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (value === null || value === undefined || value === false) continue;
    const name = names.idOf(INTERNED_DATA.annotationNames, annotationName(key));
    const text = typeof value === 'string' ? names.idOf(INTERNED_DATA.annotationTexts, value) : NONE;
    annotations.push({ name, text, integer: typeof value === 'number' ? Math.round(value) : true });
  }
  return annotations;
}

/** By key. There are few. */
const annotationNames = new Map<string, string>();

/** As Perfetto's SQL would change them anyway: "ptflame.wait.reason" becomes "wait_reason". */
function annotationName(key: string): string {
  let name = annotationNames.get(key);
  if (name === undefined) {
    name = key.replace('ptflame.', '').replaceAll('.', '_');
    annotationNames.set(key, name);
  }
  return name;
}

export function writeNumbered(event: NumberedEvent, writer: PbfWriter): void {
  if (event.category !== NONE) writer.writeVarintField(TRACK_EVENT.category, event.category);
  for (const annotation of event.annotations) writer.writeMessage(TRACK_EVENT.annotation, writeAnnotation, annotation);
  writer.writeVarintField(TRACK_EVENT.type, event.isInstant ? EventType.Instant : EventType.Begin);
  writer.writeVarintField(TRACK_EVENT.name, event.name);
  if (event.srcline !== NONE) writer.writeVarintField(TRACK_EVENT.sourceLocation, event.srcline);
  for (const flow of event.flows) writer.writeFixed64Field(TRACK_EVENT.flow, flow);
  for (const flow of event.lastFlows) writer.writeFixed64Field(TRACK_EVENT.lastFlow, flow);
}

function writeAnnotation({ name, text, integer }: Annotation, writer: PbfWriter): void {
  writer.writeVarintField(ANNOTATION.name, name);
  if (text !== NONE) writer.writeVarintField(ANNOTATION.text, text);
  else if (integer === true) writer.writeBooleanField(ANNOTATION.bool, true);
  else writer.writeVarintField(ANNOTATION.integer, integer);
}

export function writeEnd(_: null, writer: PbfWriter): void {
  writer.writeVarintField(TRACK_EVENT.type, EventType.End);
}
