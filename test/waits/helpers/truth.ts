/**
 * What the program `waitlab` knows about its own waits: one JSON object a line.
 */
import { fixtureText } from './perf-text.js';

export interface Truth {
  readonly kind: 'wait' | 'hold' | 'signal' | 'part' | 'request' | 'busy';
  readonly scenario: string;
  readonly tid: number;
  readonly fn: string;
  readonly from: number;
  readonly to: number;
  /** Of waits: why. */
  readonly reason: string;
  readonly address: string;
  /** Of waits: for which thread; 0 for none, -1 for several. */
  readonly for: number;
  /** Of signals: when. */
  readonly at: number;
  readonly request: number;
}

export function truthOf(name: string): Truth[] {
  return fixtureText(`${name}.truth.jsonl`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Truth);
}
