/**
 * Tests the regular expressions of the search: they match like JavaScript's and never backtrack.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, MAX_WORK, matchNames, PatternRun } from '../../../src/render/find-frames.js';

function finds(source: string, text: string): boolean {
  const program = compilePattern(source);
  if (typeof program === 'string') throw new Error(`${source}: ${program}`);
  return new PatternRun(program).test(text);
}

const ATOMS = [
  'a',
  'b',
  'B',
  ':',
  '.',
  '\\w',
  '\\d',
  '\\.',
  '\\s',
  '[ab]',
  '[^a]',
  '[a-c:]',
  '\\p{Lu}',
  '\\u{e9}',
  '<',
  '\\W',
];
const EDGES = ['^', '$', '\\b', '\\B'];
const QUANTIFIERS = ['', '', '', '*', '+', '?', '*?', '{2}', '{1,}', '{0,2}', '{3}?', '{0}'];

const { expression } = fc.letrec<{ expression: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...QUANTIFIERS)).map((both) => both.join('')),
    fc.constantFrom(...EDGES),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('expression'), fc.constantFrom(...QUANTIFIERS))
      .map(([open, inside, quantifier]) => `${open}${inside})${quantifier}`),
  ),
  expression: fc
    .array(
      fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map((branches) => branches.join('|')),
}));

const isExpression = (source: string) => {
  try {
    new RegExp(source, 'iu');
    return true;
  } catch {
    return false; // the same name twice
  }
};

describe('a pattern', () => {
  test('matches what JavaScript matches', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'A', 'É', ':', '.', '<', '1', ' ', '😀'), { maxLength: 8 });
    let found = 0;
    fc.assert(
      fc.property(expression.filter(isExpression), texts, (source, characters) => {
        // V8 matches \\B inside a surrogate pair, where there is no position
        const text = characters.filter((one) => one !== '😀' || !source.includes('\\B')).join('');
        const isThere = new RegExp(source, 'iu').test(text);
        if (isThere) found++;
        expect(finds(source, text), `/${source}/ in ${text}`).toBe(isThere);
      }),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(500);
  });

  test.for([
    ['std::vec(tor)?<', 'ns::std::Vector<int>'],
    ['^operator\\(\\)$', 'operator()'],
    ['[\\]x]y', 'a]y'],
    ['a{,2}', 'xa{,2}'],
    ['le\\a\\-?f', 'leaf'],
    ['[]|b', 'b'],
    ['[^]z', '\nz'],
    ['\\x41\\u0042', 'ab'],
  ] as const)('%s is in %s', ([source, text]) => expect(finds(source, text)).toBe(true));

  test.for(['(', 'a)', '*', '[b-a]', 'a{2,1}'])('is rejected if invalid: %s', (source) =>
    expect(compilePattern(source)).toBe('not a regular expression'),
  );

  test.for(['(?=a)', '(?!a)', '(?<=a)', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>'])(
    'is rejected if unsupported: %s',
    (source) => expect(compilePattern(source)).toBe('no lookaround or backreferences'),
  );

  test.for(['((((x{99}){99}){99}){99}){99}', '(((){999}){999}){999}', 'x'.repeat(1001), '('.repeat(1e5)])(
    'is rejected if its program would be too long',
    (source) => expect(compilePattern(source)).toBe('expression too long'),
  );
});

describe('work', () => {
  const LONG = 'a'.repeat(20_000);

  test.for([
    '(a+)+$',
    '(a|a)*b',
    '(a|aa)+$',
    '(.*)*b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a?){40}a{40}b',
    '(\\w+\\s?)*!',
  ])('is linear in the text for %s', (source) => {
    const program = compilePattern(source);
    if (typeof program === 'string') throw new Error(program);
    const run = new PatternRun(program);
    run.test(`${LONG}!`);
    const once = run.work;
    run.test(`${LONG}${LONG}!`);
    expect(run.work).toBeLessThan(5000);
    expect(run.work - once).toBeLessThan(100);
  });

  test('stops at a limit', () => {
    const names = Array.from({ length: 3000 }, (_, at) => `${at.toString(2)}${(at * 7919).toString(2)}`.repeat(9));
    const source = `(0|1)*1(0|1){${200}}2`;
    const run = new PatternRun(compilePattern(source) as Exclude<ReturnType<typeof compilePattern>, string>);
    for (const name of names) run.test(name);
    expect(run.work).toBeGreaterThan(MAX_WORK);
    expect(run.work).toBeLessThan(MAX_WORK + 1_000_000); // a step for each character at most
    expect(matchNames(names, `/${source}/`)).toEqual({ isMatch: null, problem: expect.stringContaining('complex') });
  });
});
