/**
 * Filters of wakings by the names of threads.
 */
import { describe, expect, test } from 'vitest';
import { nameFilter } from '../../../../cli/record/tracepoints.js';

describe('a filter of names', () => {
  test('contains each name once', () => {
    expect(nameFilter(['b', 'a b', 'b'])).toBe('comm == "a b" || comm == "b"');
  });

  test('is absent without names', () => {
    expect(nameFilter([])).toBeNull();
  });

  test.for([
    ['say "hi"', 'comm ~ "say ?hi?"'],
    ["it's", 'comm == "it\'s"'],
    ['a"*[x]?', 'comm ~ "a???x??"'],
    ['*', 'comm == "*"'],
    ['\xc3\xa9\n', 'comm ~ "???"'],
    ['', 'comm == ""'],
  ] as const)('of %j is %s', ([name, filter]) => {
    expect(nameFilter([name])).toBe(filter);
  });

  const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

  test('too long for the kernel is merged by what precedes numbers', () => {
    expect(nameFilter([...numbered(300, 'worker-'), 'main'])).toBe('comm ~ "main*" || comm ~ "worker-*"');
  });

  test('that is still too long is absent', () => {
    expect(nameFilter(numbered(300, 'a').map((name) => `${name}x`))).toBeNull();
  });
});
