import { describe, expect, test } from 'vitest';
import { parseTrigger } from '../../../cli/record/trigger/spec.js';

describe('--trigger', () => {
  test.each([
    ['signal', { kind: 'signal' }],
    ['parse', { kind: 'call', function: 'parse', at: 'end', minNs: 0 }],
    ['parse>10ms', { kind: 'call', function: 'parse', at: 'end', minNs: 1e7 }],
    ['parse > 1.5us', { kind: 'call', function: 'parse', at: 'end', minNs: 1500 }],
    ['operator>>2s', { kind: 'call', function: 'operator>', at: 'end', minNs: 2e9 }],
    ['f<std::vector<int>>>20µs', { kind: 'call', function: 'f<std::vector<int>>', at: 'end', minNs: 20_000 }],
    ['f<std::vector<int>>', { kind: 'call', function: 'f<std::vector<int>>', at: 'end', minNs: 0 }],
    ['parse@entry', { kind: 'call', function: 'parse', at: 'entry', minNs: 0 }],
  ])('%s', (text, trigger) => {
    expect(parseTrigger(text)).toEqual(trigger);
  });

  test.each(['', '>10ms', 'parse>10', 'parse>10 days', 'parse@10', 'parse@entry>10ms', '@entry'])(
    'refuses %j',
    (text) => {
      expect(() => parseTrigger(text)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
    },
  );
});
