import { describe, expect, test } from 'vitest';
import { parseTrigger } from '../../../cli/record/trigger/spec.js';

describe('--trigger', () => {
  test.each([
    ['signal', { kind: 'signal' }],
    ['parse', { kind: 'call', function: 'parse', to: null, at: 'end', minNs: 0 }],
    ['parse>10ms', { kind: 'call', function: 'parse', to: null, at: 'end', minNs: 1e7 }],
    ['parse > 1.5us', { kind: 'call', function: 'parse', to: null, at: 'end', minNs: 1500 }],
    ['operator>>2s', { kind: 'call', function: 'operator>', to: null, at: 'end', minNs: 2e9 }],
    ['f<std::vector<int>>>20µs', { kind: 'call', function: 'f<std::vector<int>>', to: null, at: 'end', minNs: 20_000 }],
    ['f<std::vector<int>>', { kind: 'call', function: 'f<std::vector<int>>', to: null, at: 'end', minNs: 0 }],
    ['parse@entry', { kind: 'call', function: 'parse', to: null, at: 'entry', minNs: 0 }],
    ['parse..reply>10ms', { kind: 'call', function: 'parse', to: 'reply', at: 'end', minNs: 1e7 }],
    ['parse .. ns::reply', { kind: 'call', function: 'parse', to: 'ns::reply', at: 'end', minNs: 0 }],
    ['0x1234..a.c:7>1s', { kind: 'call', function: '0x1234', to: 'a.c:7', at: 'end', minNs: 1e9 }],
    ['../src/a.c:7@entry', { kind: 'call', function: '../src/a.c:7', to: null, at: 'entry', minNs: 0 }],
    ['print(char*, ...)>1s', { kind: 'call', function: 'print(char*, ...)', to: null, at: 'end', minNs: 1e9 }],
  ])('%s', (text, trigger) => {
    expect(parseTrigger(text)).toEqual(trigger);
  });

  test.each(['', '>10ms', 'parse>10', 'parse>10 days', 'parse@10', 'parse@entry>10ms', '@entry', 'parse..reply@entry'])(
    'refuses %j',
    (text) => {
      expect(() => parseTrigger(text)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
    },
  );
});
