/**
 * Every file imports only what the table in docs/floors.md allows its room, and none imports itself through others.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { documentedModulesOfNode, documentedRows, needsNode, type Row, violationsOf } from './allowed.js';
import { circleAmong } from './circles.js';
import { type FileNeeds, needsOf, targetOf } from './file-needs.js';

const ROOT = new URL('../../', import.meta.url);
const ROWS = documentedRows();
const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const FILES = [...filesIn('src'), ...filesIn('cli')];
const TOOLS = [...filesIn('bench'), ...filesIn('fuzz')];

function filesIn(folder: string): FileNeeds[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith('.ts') && !/\.(?:generated|d)\.ts$/.test(path))
    .map((path) => needsOf(path, textOf(path)));
}

describe('the table', () => {
  test('lists existing rooms, each once', () => {
    const rooms = ROWS.flatMap(({ rooms }) => rooms);
    expect(rooms.length).toBeGreaterThan(20);
    expect(new Set(rooms).size).toBe(rooms.length);
    expect(rooms.filter((room) => !existsSync(new URL(room, ROOT)))).toEqual([]);
    expect(ROWS.flatMap(({ mayImport }) => [...mayImport]).filter((room) => !rooms.includes(room))).toEqual([]);
  });

  test('lets imports go only down: to the same row, or one below', () => {
    const above = (row: Row) => ROWS.slice(0, ROWS.indexOf(row)).flatMap(({ rooms }) => rooms);
    expect(ROWS.flatMap((row) => above(row).filter((room) => row.mayImport.has(room)))).toEqual([]);
  });

  test('allows nothing that no file needs', () => {
    const isNeeded = (row: Row, kind: 'mayImport' | 'mayUse', name: string) => {
      const less = { ...row, [kind]: new Set([...row[kind]].filter((other) => other !== name)) };
      const rows = ROWS.map((other) => (other === row ? less : other));
      return FILES.some(
        (file) => row.rooms.some((room) => file.path.startsWith(room)) && violationsOf(file, rows).length > 0,
      );
    };
    const unneeded = ROWS.flatMap((row) =>
      (['mayImport', 'mayUse'] as const).flatMap((kind) =>
        [...row[kind]].filter((name) => !isNeeded(row, kind, name)).map((name) => `${row.rooms}: ${name}`),
      ),
    );
    expect(unneeded).toEqual([]);
  });
});

test('every file imports only what its room may', () => {
  expect(FILES.flatMap((file) => violationsOf(file, ROWS))).toEqual([]);
});

describe('modules of src that need Node', () => {
  const modules = documentedModulesOfNode();
  const inSource = FILES.filter(({ path }) => path.startsWith('src/'));

  test('are those that the document names: all others run in browsers, too', () => {
    expect(
      inSource
        .filter(needsNode)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([...modules].sort());
  });

  test.each([
    ["import { readFileSync } from 'node:fs';"],
    ["const { readFileSync } = await import('node:fs');"],
    ["import type { FileHandle } from 'node:fs/promises';"],
    ["import { Piscina } from 'piscina';"],
    ['Buffer.alloc(1);'],
    ['process.memoryUsage();'],
    ['setImmediate(() => {});'],
  ])('are found: %s', (line) => {
    const path = 'src/symbols/symbolizer.ts';
    expect(needsNode(needsOf(path, textOf(path)))).toBe(false);
    expect(needsNode(needsOf(path, `${textOf(path)}\n${line}\n`))).toBe(true);
  });
});

test('benchmarks import only what the command line may', () => {
  const files = filesIn('bench').map(({ path, imports }) => ({
    path: `cli/${path}`,
    imports: imports
      .filter((name) => name.startsWith('.') && targetOf(name, path).startsWith('src/'))
      .map((name) => `../${name}`),
    globals: [],
  }));
  expect(files.flatMap((file) => violationsOf(file, ROWS))).toEqual([]);
});

test('no file imports itself through others, types included', () => {
  expect(circleAmong([...FILES, ...TOOLS])).toBeNull();
});

const PLANTED = [
  ['upward', 'src/model/units.ts', "import { Lane } from '../trace/lanes/lane.js';"],
  [
    'upward, from a folder deeper down',
    'src/replay/pairing/pair-thread.ts',
    "import { analyze } from '../../pipeline/analyze.js';",
  ],
  ['sideways', 'src/trace/lanes/lane.ts', "import { replay } from '../../replay/replayer.js';"],
  ['a type', 'src/parser/lines/lines.ts', "import type { Lane } from '../../trace/lanes/lane.js';"],
  ['a type, inline', 'src/parser/lines/lines.ts', "let lane: import('../../trace/lanes/lane.js').Lane;"],
  ['when it runs', 'src/render/layout.ts', "const page = await import('../page/html.js');"],
  ['handed on', 'src/analysis/tree/outside.ts', "export { NumberReader } from '../../codec/numbers.js';"],
  ['for its effects', 'src/perfdata/file/walk.ts', "import '../../trace/lanes/lane.js';"],
  ['a door of the library, from below', 'src/pipeline/analyze.ts', "import { analyze } from '../index.js';"],
  ['the command line, from the library', 'src/pipeline/analyze.ts', "import { main } from '../../cli/main.js';"],
  ['too far down', 'cli/main.ts', "import { replay } from '../src/replay/replayer.js';"],
  ['a test, from the library', 'src/model/units.ts', "import { fixture } from '../../test/helpers/load.js';"],
  ['a package on the wrong floor', 'src/model/units.ts', "import * as z from 'zod';"],
  ['a part of a package', 'src/pipeline/analyze.ts', "import { hideBin } from 'yargs/helpers';"],
  ['a package that is not installed', 'cli/main.ts', "import leftPad from 'left-pad';"],
  ['Node, where a browser runs it', 'src/codec/numbers.ts', "import { crc32 } from 'node:zlib';"],
  ['Node, in what the page shows', 'src/page/view/state.ts', "import { readFileSync } from 'node:fs';"],
  ['processes, from the library', 'src/pipeline/analyze.ts', "import { spawn } from 'node:child_process';"],
  ['Node without its prefix', 'src/parser/lines/lines.ts', "import { readFileSync } from 'fs';"],
  ['required', 'src/model/units.ts', "const fs = require('node:fs');"],
  ['the process', 'src/model/units.ts', 'process.exit(1);'],
  ['the process, by its parts', 'src/render/folded.ts', 'const { env } = process;'],
  ['the process, by another name', 'src/model/units.ts', 'globalThis.process.exit(1);'],
  ['the console', 'src/pipeline/analyze.ts', "console.log('read');"],
  ['a Buffer, where a browser runs it', 'src/analysis/tree/outside.ts', 'Buffer.from([1]);'],
  ['out of a room that is not in the table', 'src/new-room/new.ts', "import { NONE } from '../model/units.js';"],
] as const;

test.each(PLANTED)('finds a forbidden import: %s', (_, path, line) => {
  const text = existsSync(new URL(path, ROOT)) ? textOf(path) : '';
  expect(violationsOf(needsOf(path, `${text}\n${line}\n`), ROWS)).toHaveLength(1);
});

test.each([
  ["import type { B } from './b.js';", "export type { A } from './a.js';"],
  ["import { c } from './sub/c.js';", "const { a } = await import('./a.js');"],
])('finds a circle: %s', (a, b) => {
  const files = [
    needsOf('src/model/a.ts', a),
    needsOf('src/model/b.ts', b),
    needsOf('src/model/sub/c.ts', "import '../b.js';"),
  ];
  expect(circleAmong(files)).toContain('src/model/a.ts');
});

test('ignores names that only look like globals of Node', () => {
  const text = 'const process = start(); process.end(); thread.process = { console: 1 }; class A { process() {} }';
  expect(violationsOf(needsOf('src/model/new.ts', text), ROWS)).toEqual([]);
});
