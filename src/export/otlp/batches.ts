/**
 * Joins spans in lines of JSON: each is a message of OTLP, which a collector reads from a file and takes as a request.
 */
import { PTFLAME_VERSION } from '../../model/version.js';
import type { OtlpSpan } from './span.js';

/** The collector's receiver for files splits lines of more than 1 MiB; a character has up to three bytes. */
const MAX_LINE_CHARACTERS = 300_000;

const SCOPE = JSON.stringify({ name: 'ptflame', version: PTFLAME_VERSION });

export class Batches {
  /** By resource: its spans. */
  private readonly spans = new Map<string, string[]>();
  private characters = 0;

  /** `resource`: as JSON. Returns the line before the span, if that is full; else ''. */
  add(resource: string, span: OtlpSpan): string {
    const text = JSON.stringify(span);
    const line = this.characters + resource.length + text.length > MAX_LINE_CHARACTERS ? this.line() : '';
    const own = this.spans.get(resource);
    if (own) own.push(text);
    else this.spans.set(resource, [text]);
    this.characters += text.length + 1 + (own ? 0 : resource.length);
    return line;
  }

  /** Returns the spans that are not in a line yet; '': there is none. */
  line(): string {
    const resources = Array.from(this.spans, ([resource, spans]) => {
      return `{"resource":${resource},"scopeSpans":[{"scope":${SCOPE},"spans":[${spans.join(',')}]}]}`;
    });
    this.spans.clear();
    this.characters = 0;
    return resources.length === 0 ? '' : `{"resourceSpans":[${resources.join(',')}]}\n`;
  }
}
