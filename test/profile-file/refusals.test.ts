/**
 * Files that are not profiles, or damaged ones, are refused with what is wrong, where, and what to do.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyze, PtflameError, readProfile, traceStream } from '../../src/index.js';
import { jsonOf, readBack, refusalOf } from '../helpers/checks/files/profile-file.js';
import { analyzeText, fixture, inputOf } from '../helpers/traces/load.js';

const TEXT = jsonOf(await analyzeText(fixture('hardware/overflow-tailcalls.txt')));

/** A profile with arbitrary changes. */
// biome-ignore lint/suspicious/noExplicitAny: it is wrong on purpose
type Loose = any;

function changed(change: (file: Loose, tree: Loose) => void): string {
  const file = JSON.parse(TEXT) as Loose;
  change(file, file.threads[0].tree);
  return JSON.stringify(file);
}

/** The first node with inferred time. */
const inferredIn = (tree: Loose): number => tree.inferredNs.findIndex((ns: number) => ns > 1);

/** Rows of node, reason and time. */
function reasons(...rows: readonly (readonly [number, number, number])[]) {
  return { node: rows.map(([node]) => node), doubt: rows.map(([, doubt]) => doubt), ns: rows.map(([, , ns]) => ns) };
}

test('reads an unchanged profile, whatever the whitespace', async () => {
  const plain = await readBack(changed(() => {}));
  expect(jsonOf(plain)).toBe(TEXT);
  expect(jsonOf(await readBack(JSON.stringify(JSON.parse(TEXT), null, '\t\r\n ')))).toBe(TEXT);
  expect(jsonOf(await readBack(changed((file) => Object.assign(file, { later: [1, 'x'], __proto__: {} }))))).toBe(TEXT);
});

const damages: readonly (readonly [what: string, change: (file: Loose, tree: Loose) => void, message: RegExp])[] = [
  ['a part is missing', (file) => delete file.quality, /quality: .*expected object/],
  ['no threads', (file) => delete file.threads, /threads: .*expected array/],
  ['a version that is not a number', (file) => (file.version = '1'), /version is not a version/],
  ['version 0', (file) => (file.version = 0), /version is not a version/],
  ['an origin that is a number', (file) => (file.meta.originNs = 5), /meta\.originNs: .*expected string/],
  [
    'an origin that is none',
    (file) => (file.meta.originNs = '5 s'),
    /meta\.originNs: expected a whole number, as text/,
  ],
  ['an end before the start', (file) => (file.meta.endNs = -1), /meta\.endNs is before its start/],
  ['another scope', (file) => (file.meta.scope = 'all'), /meta\.scope: /],
  ['a name that is a number', (file) => (file.symbols.name[8] = 8), /symbols\.name: expected a list of texts/],
  ['names that are numbers', (file) => (file.symbols.name = [1, 2]), /symbols\.name: expected a list of texts/],
  [
    'a kind that is none',
    (file) => (file.symbols.kind[8] = 'x'),
    /symbols\.kind: expected a list of function, unknown/,
  ],
  ['lines without files', (file) => (file.symbols.line = []), /symbols\.file needs line and fileName/],
  [
    'a line without a number',
    (file) => {
      const { length } = file.symbols.name;
      Object.assign(file.symbols, { file: Array(length).fill(0), line: Array(length).fill(0), fileName: ['a.c'] });
    },
    /symbols\.file\[0\] is not a row of fileName with a line/,
  ],
  ['a kind too few', (file) => file.symbols.kind.pop(), /symbols\.kind has \d+ rows, but name has \d+/],
  ['a file that does not exist', (file) => (file.symbols.dso[8] = 99), /symbols\.dso\[8\] is not a row of dsoName/],
  ['a file that is null', (file) => (file.symbols.dso[8] = null), /symbols\.dso/],
  [
    'special symbols in other rows',
    (file) => file.symbols.name.splice(0, 2, '[syscall]', '[unknown]'),
    /name\[0\] is not/,
  ],
  [
    'a special symbol of another kind',
    (file) => (file.symbols.kind[5] = 'function'),
    /name\[5\] is not the symbol \[lost\]/,
  ],
  ['no symbols', (file) => Object.assign(file.symbols, { name: [], kind: [], dso: [] }), /name\[0\] is not the symbol/],
  ['a thread without its id', (file) => delete file.threads[0].tid, /threads\[0\]\.tid: .*expected number/],
  ['a thread that is a number', (file) => (file.threads = [1]), /threads/],
  ['a thread that is null, after a valid one', (file) => file.threads.push(null, {}), /threads\[1\]/],
  ['a thread twice', (file) => file.threads.push(file.threads[0]), /threads\[1\]\.tid is \d+, after \d+/],
  ['a name of a thread that is a number', (file) => (file.threads[0].comm = 5), /threads\[0\]\.comm: /],
  ['half a nanosecond', (file) => (file.threads[0].startNs = 0.5), /threads\[0\]\.startNs: expected a whole number/],
  [
    'a thread that was observed longer',
    (file) => file.threads[0].endNs++,
    /tree\.selfNs adds up to \d+ ns, but .* \d+ ns/,
  ],
  ['no root', (_, tree) => emptied(tree), /tree has no root/],
  ['a root that is a child', (_, tree) => (tree.parent[0] = 0), /tree does not begin with a root/],
  ['a root with a symbol', (_, tree) => (tree.symbol[0] = 3), /tree does not begin with a root/],
  ['a column too short', (_, tree) => tree.calls.pop(), /tree\.calls has \d+ rows, but parent has \d+/],
  ['a column too long', (_, tree) => tree.maxNs.push(null), /tree\.maxNs has \d+ rows/],
  ['a column that is not a list', (_, tree) => (tree.calls = {}), /tree\.calls: expected a list of numbers/],
  ['a column with a text', (_, tree) => (tree.calls[2] = '1'), /tree\.calls: expected a list of numbers/],
  ['a column with a list', (_, tree) => (tree.calls[2] = [1]), /tree\.calls: expected a list of numbers/],
  ['a column with a null', (_, tree) => (tree.calls[2] = null), /tree\.calls\[2\] is null, not a whole number/],
  ['a parent that is null', (_, tree) => (tree.parent[2] = null), /tree\.parent\[2\] is null/],
  [
    'a parent after its child',
    (_, tree) => (tree.parent[2] = 3),
    /tree\.parent\[2\] is 3, which is not a node before it/,
  ],
  ['a node that is its own parent', (_, tree) => (tree.parent[2] = 2), /tree\.parent\[2\] is 2/],
  ['two roots', (_, tree) => (tree.parent[2] = -1), /tree\.parent\[2\] is -1/],
  ['a broken parent', (_, tree) => (tree.parent[2] = 0.5), /tree\.parent\[2\] is 0\.5/],
  [
    'a symbol that does not exist',
    (_, tree) => (tree.symbol[2] = 9999),
    /tree\.symbol\[2\] is 9999, but there are \d+ symbols/,
  ],
  ['a node without a symbol', (_, tree) => (tree.symbol[2] = -1), /tree\.symbol\[2\] is -1/],
  ['negative calls', (_, tree) => (tree.calls[2] = -1), /tree\.calls\[2\] is -1, not a whole number from 0 on/],
  ['negative time', (_, tree) => (tree.selfNs[2] = -5), /tree\.selfNs\[2\] is -5/],
  ['half a call', (_, tree) => (tree.calls[2] += 0.5), /tree\.calls\[2\] is \d+\.5/],
  ['more inferred calls than calls', (_, tree) => (tree.inferredCalls[2] = 9), /inferredCalls\[2\] is 9 of \d+ calls/],
  [
    'more unwound calls than complete ones',
    (_, tree) => (tree.unwoundCalls[2] = 9),
    /unwoundCalls\[2\] is 9 of \d+ complete calls/,
  ],
  [
    'a cut call where none is inferred',
    (_, tree) => (tree.longestCutNs[0] = 5),
    /longestCutNs\[0\] is 5, but no call is inferred/,
  ],
  ['more inferred time than time', (_, tree) => (tree.inferredNs[2] = 1e9), /inferredNs\[2\] is 1000000000 of \d+ ns/],
  ['a reason of no node', (_, tree) => (tree.doubts = reasons([99_999, 4, 1])), /doubts\.node\[0\] is not a node/],
  [
    'a reason that needs no row',
    (_, tree) => (tree.doubts = reasons([inferredIn(tree), 1, 1])),
    /doubts\.doubt\[0\] is not a reason/,
  ],
  ['an unknown reason', (_, tree) => (tree.doubts = reasons([inferredIn(tree), 9, 1])), /doubts\.doubt\[0\] is not/],
  [
    'more time of a reason than is inferred',
    (_, tree) => (tree.doubts = reasons([inferredIn(tree), 4, 1e12])),
    /doubts\.ns\[0\] is 1000000000000 of \d+ ns/,
  ],
  [
    'a reason twice',
    (_, tree) => (tree.doubts = reasons([inferredIn(tree), 4, 1], [inferredIn(tree), 4, 1])),
    /doubts\.node\[1\] is out of order/,
  ],
  ['time that is not there', (_, tree) => tree.selfNs[2]++, /selfNs adds up to/],
  ['a shortest call of no calls', (_, tree) => (tree.minNs[0] = 5), /minNs\[0\] to maxNs is 5 to null/],
  ['a longest call of no calls', (_, tree) => (tree.maxNs[0] = 5), /minNs\[0\] to maxNs is null to 5/],
  [
    'the shortest longer than the longest',
    (_, tree) => (tree.minNs[completeNode(tree)] = 1e9),
    /minNs\[\d+\] to maxNs/,
  ],
  ['no shortest of some calls', (_, tree) => (tree.minNs[completeNode(tree)] = null), /minNs\[\d+\] to maxNs is null/],
  ['a loss with an unknown cause', (file) => (file.quality.losses[0].cause = 'x'), /quality\.losses\[0\]\.cause: /],
  ['a gap with an unknown cause', (file) => (file.quality.gaps[0].cause = 'x'), /quality\.gaps\[0\]\.cause: /],
  [
    'too many losses',
    (file) => (file.quality.losses = Array(66).fill({})),
    /quality\.losses: expected at most 65 rows/,
  ],
  ['lines that are negative', (file) => (file.quality.lines = -1), /quality\.lines: /],
];

function emptied(tree: Loose): void {
  for (const column of Object.values(tree) as unknown[][]) column.length = 0;
}

function completeNode(tree: Loose): number {
  return tree.minNs.findIndex((ns: number | null) => ns !== null);
}

describe.each(damages)('%s', (_, change, message) => {
  test('is refused', async () => {
    const refusal = await refusalOf(changed(change));
    expect(refusal.code).toBe('PROFILE_DAMAGED');
    expect(refusal.message).toMatch(/^out\.json is a damaged profile: /);
    expect(refusal.message).toMatch(message);
    expect(refusal.hint).toMatch(/ptflame render TRACE/);
  });
});

test('refuses a function that occurs twice below one parent, wherever it is', async () => {
  const twice = changed((file, tree) => {
    for (const column of Object.values(tree) as unknown[]) if (Array.isArray(column)) column.push(column[1]);
    tree.selfNs[tree.selfNs.length - 1] = tree.inferredNs[tree.inferredNs.length - 1] = 0;
    file.threads.length = 1;
  });
  expect((await refusalOf(twice)).message).toMatch(/tree\.symbol\[\d+\] is that of node 1, which has the same parent/);
});

const syntax = [
  ['a word', '{"format":"ptflame-profile","version":one}', /at byte 38: unexpected "o"/],
  ['an extra comma', '{"format":"ptflame-profile","version":[1,]}', /at byte 41: unexpected "\]"/],
  ['no colon', '{"format":"ptflame-profile","version" 1}', /at byte 38: unexpected "1"/],
  ['a key that is not a text', '{"format":"ptflame-profile",5:1}', /at byte 28: unexpected "5"/],
  ['text after its end', '{"format":"ptflame-profile"} x', /at byte 29: unexpected "x"/],
  ['a number with a zero in front', '{"format":"ptflame-profile","version":[01]}', /at byte 39: unexpected "0"/],
  ['a line break in a text', '{"format":"ptflame-profile","a":"\n"}', /at byte 33: unexpected "\\n"/],
  ['a wrong escape', '{"format":"ptflame-profile","a":"\\x"}', /at byte 32: invalid escape in a text/],
  ['endless nesting', `{"format":"ptflame-profile","a":${'['.repeat(1e6)}`, /nested more than 64 levels deep/],
] as const;

test.each(syntax)('refuses %s, with its position', async (_, text, message) => {
  const refusal = await refusalOf(text);
  expect(refusal.code).toBe('PROFILE_DAMAGED');
  expect(refusal.message).toMatch(message);
});

test('refuses a newer version, naming the ptflame that reads it', async () => {
  const newer = changed((file) => Object.assign(file, { version: 3, producer: { name: 'ptflame', version: '9.1.0' } }));
  const { code, message, hint } = await refusalOf(newer);
  expect(code).toBe('NEWER_VERSION');
  expect(`${message}\n${hint}`).toBe(
    'out.json has version 3 of the format, but this ptflame reads only versions up to 2: use ptflame 9.1.0 or newer\n' +
      'read it with the version of ptflame that wrote it',
  );
  const nameless = changed((file) => Object.assign(file, { version: 4, producer: { version: '\x1b[31m' } }));
  expect((await refusalOf(nameless)).message).toMatch(/reads only versions up to 2$/);
});

const others = [
  ['a speedscope profile', '{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}'],
  ['a Chrome trace', '{"traceEvents":[{"ph":"X","args":[1,"a"]}]}'],
  ['the JSON of perf data convert', '{\n\t"linux-perf-json-version": 1,\n'],
  ['a profile of the Firefox profiler', '{"meta":{"preprocessedProfileVersion":47}}'],
  ['a V8 CPU profile', '{"nodes":[{"id":1}]}'],
  ['JSON of some other program', '{"format":"other"}'],
  ['JSON of some other program', '[1,2]'],
  ['text of another kind', '1 [000] 1.000000100: call 1000 main+0x0 => 2000 a+0x0\n'],
] as const;

test.each(others)('recognizes %s', async (what, text) => {
  const { code, message } = await refusalOf(text);
  expect({ code, message }).toEqual({
    code: 'INPUT_KIND',
    message: `out.json is not a ptflame profile: it looks like ${what}`,
  });
});

test('reports a profile truncated at any byte as truncated', async () => {
  for (let at = 997; at < TEXT.length - 2; at += 997) {
    const { code, message } = await refusalOf(TEXT.slice(0, at));
    expect({ code, message }).toEqual({
      code: 'PROFILE_DAMAGED',
      message: 'out.json is truncated: unexpected end of file',
    });
  }
});

test('reports a truncated compressed profile', async () => {
  const { name, bytes } = inputOf(gzipSync(TEXT).subarray(0, -20), 'out.json.gz');
  await expect(readProfile(traceStream(name, bytes))).rejects.toMatchObject({
    code: 'PROFILE_DAMAGED',
    message: 'cannot read all of out.json.gz: unexpected end of file',
  });
});

test('reads or refuses a profile with flipped bytes, without crashing', async () => {
  const flips = fc.array(fc.tuple(fc.nat(TEXT.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(flips, async (flips) => {
      const bytes = Buffer.from(TEXT);
      for (const [at, byte] of flips) bytes[at] = byte;
      const profile = await readBack(bytes).catch(refusedOrThrown);
      if (profile) expect(jsonOf(await readBack(jsonOf(profile)))).toBe(jsonOf(profile));
    }),
    { numRuns: 500 },
  );
});

function refusedOrThrown(error: unknown): null {
  if (error instanceof PtflameError) return null;
  throw error;
}

test('refuses a text of any length as soon as it is longer than any is', async () => {
  const text = Buffer.concat([Buffer.from('{"format":"ptflame-profile","a":"'), Buffer.alloc(2 ** 24 + 16, 'a')]); // it does not even end
  const { code, message } = await refusalOf(text);
  expect(code).toBe('TOO_LARGE');
  expect(message).toMatch(/a text of more than 16777216 bytes/);
});

test('refuses a million invalid threads at the first one', async () => {
  const text = changed((file) => (file.threads = Array(1_000_000).fill({})));
  expect((await refusalOf(text)).message).toMatch(/threads\[0\]\.tid/);
}, 60_000);

test('refuses a profile where a trace is expected', async () => {
  const trace = inputOf(fixture('hardware/overflow-tailcalls.txt'), 'trace.txt');
  await expect(analyze([trace, inputOf(TEXT, 'out.json')])).rejects.toMatchObject({
    code: 'INPUT_KIND',
    message: 'out.json is a profile, not a trace',
  });
});
