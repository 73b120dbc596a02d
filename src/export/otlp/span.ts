/**
 * The spans of OTLP, as the JSON of protocol buffers has them: ids in hexadecimal, enums as numbers, 64-bit integers as texts.
 */
import type { Attribute } from './attributes.js';

export const SpanKind = { Internal: 1, Consumer: 5 } as const;
export type SpanKind = (typeof SpanKind)[keyof typeof SpanKind];

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly Attribute[];
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Of the parent, where that is a span of another program. */
  readonly flags?: number;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly SpanLink[];
}
