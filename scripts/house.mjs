/**
 * `npm run house`: prints how the house lies. Files, folders and lines of src and cli by room, imports that form circles
 * (bench and fuzz, too), imports that go up in the table of rooms, and the longest chain of imports.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import ts from 'typescript';

const TABLE = /^\| room +\|[^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)/m;

/** Path → its lines and the files that it imports. */
const files = new Map(['src', 'cli', 'bench', 'fuzz'].flatMap(filesIn));
const own = [...files].filter(([path]) => /^(?:src|cli)\//.test(path));
const rooms = roomsOf(readFileSync(tablePath(), 'utf8'));

for (const [room, found] of grouped(own, ([path]) => path.split('/', path.startsWith('src/') ? 2 : 1).join('/')))
  print(room, found);
print('src and cli', own);
const circles = circlesAmong(files);
console.log(`circles: ${circles.length}${circles.map((circle) => `\n  ${circle.join(', ')}`).join('')}`);
const up = own.flatMap(([path, { imports }]) =>
  imports.filter((target) => floor(target) < floor(path)).map((to) => `${path} → ${to}`),
);
console.log(`imports that go up: ${up.length}${up.map((line) => `\n  ${line}`).join('')}`);
const chain = longestChain();
console.log(`longest chain of imports: ${chain.length}\n  ${chain.join('\n  ')}`);

function filesIn(top) {
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .map((name) => `${top}/${name}`)
    .filter((path) => path.endsWith('.ts') && !/\.(?:generated|d)\.ts$/.test(path))
    .map((path) => {
      const text = readFileSync(path, 'utf8');
      const names = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
      const targets = names.filter((name) => name.startsWith('.')).map((name) => posix.join(dirname(path), name));
      return [
        path,
        { lines: text.split('\n').length - 1, imports: targets.map((name) => name.replace(/(?:\.js)?$/, '.ts')) },
      ];
    });
}

function print(name, found) {
  const folders = new Set(found.flatMap(([path]) => parents(path)));
  const lines = found.reduce((sum, [, file]) => sum + file.lines, 0);
  const row = [`${lines} lines`, `${found.length} files`, `${folders.size} folders`].map((cell) => cell.padStart(14));
  console.log(name.padEnd(20) + row.join(''));
}

function parents(path) {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/')).filter((folder) => folder !== 'src');
}

function grouped(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function tablePath() {
  return ['docs/floors.md'].find((path) => {
    try {
      return TABLE.test(readFileSync(path, 'utf8'));
    } catch {
      return false;
    }
  });
}

/** Rooms from the top floor down; those of a row are one floor. */
function roomsOf(markdown) {
  const rows = TABLE.exec(markdown)[1].trim().split('\n');
  return rows.map((row) => [...row.split('|')[1].matchAll(/`([^`]+)`/g)].map(([, room]) => room));
}

function floor(path) {
  const lengths = rooms.map((row) =>
    Math.max(0, ...row.filter((room) => path.startsWith(room)).map((room) => room.length)),
  );
  return lengths.indexOf(Math.max(...lengths));
}

/** Tarjan's algorithm: sets of files that import each other. */
function circlesAmong(graph) {
  const [number, low, stack, found] = [new Map(), new Map(), [], []];
  const visit = (path) => {
    number.set(path, number.size);
    low.set(path, number.get(path));
    stack.push(path);
    for (const target of graph.get(path)?.imports ?? []) {
      if (!number.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path), low.get(target)));
    }
    if (low.get(path) !== number.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) found.push(circle);
  };
  for (const path of graph.keys()) if (!number.has(path)) visit(path);
  return found;
}

/** From file to file, without circles. */
function longestChain() {
  const known = new Map();
  const from = (path) => {
    if (known.has(path)) return known.get(path);
    known.set(path, [path]); // in a circle
    const below = (files.get(path)?.imports ?? []).filter((target) => files.has(target)).map(from);
    const longest = below.reduce((best, chain) => (chain.length > best.length ? chain : best), []);
    known.set(path, [path, ...longest]);
    return known.get(path);
  };
  return own.map(([path]) => from(path)).reduce((best, chain) => (chain.length > best.length ? chain : best), []);
}
