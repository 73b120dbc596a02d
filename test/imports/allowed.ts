/**
 * Reads the table of allowed imports in docs/floors.md, and finds violations.
 */
import { readFileSync } from 'node:fs';
import { type FileNeeds, targetOf } from './file-needs.js';

/** A row of the table. */
export interface Row {
  /** Folders, ending in a slash, or files; the row applies to each of them. */
  readonly rooms: readonly string[];
  /** Rooms, in addition to a file's own. */
  readonly mayImport: ReadonlySet<string>;
  /** Packages, and modules and globals of Node. */
  readonly mayUse: ReadonlySet<string>;
}

const TABLE_HEAD = /^\| room +\| may import +\| may use +\|/;

export function rowsOf(markdown: string): Row[] {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => TABLE_HEAD.test(line));
  const length = lines.slice(head).findIndex((line) => !line.startsWith('|'));
  return lines.slice(head + 2, head + length).map((line) => {
    const [rooms = [], mayImport = [], mayUse = []] = line.split('|').slice(1, -1).map(namesIn);
    return { rooms, mayImport: new Set(mayImport), mayUse: new Set(mayUse) };
  });
}

export function documentedRows(): Row[] {
  return rowsOf(documented());
}

const NODE_HEAD = '## Modules that need Node';

/** The modules of `src/` that need Node, as docs/floors.md names them: in the last list. */
export function documentedModulesOfNode(): string[] {
  const [, list = ''] = documented().split(NODE_HEAD);
  return [...list.matchAll(/^- (.*)$/gm)].flatMap(([, line = '']) => namesIn(line));
}

function documented(): string {
  return readFileSync(new URL('../../docs/floors.md', import.meta.url), 'utf8');
}

/** Packages that run in Node alone. */
const PACKAGES_OF_NODE = new Set(['piscina', '@duckdb/node-api']);

/** Whether a module runs in Node alone. */
export function needsNode({ imports, globals }: FileNeeds): boolean {
  return (
    globals.length > 0 || imports.some((name) => name.startsWith('node:') || PACKAGES_OF_NODE.has(packageOf(name)))
  );
}

/** Returns the longest path that contains a file, and its row. */
function roomOf(path: string, rows: readonly Row[]): { readonly room: string; readonly row: Row } | null {
  const all = rows.flatMap((row) => row.rooms.map((room) => ({ room, row })));
  const around = all.filter(({ room }) => path === room || (room.endsWith('/') && path.startsWith(room)));
  return around.reduce<(typeof all)[number] | null>(
    (longest, found) => (longest === null || found.room.length > longest.room.length ? found : longest),
    null,
  );
}

/** Returns what the table does not allow in a file, in words. */
export function violationsOf({ path, imports, globals }: FileNeeds, rows: readonly Row[]): string[] {
  const own = roomOf(path, rows);
  if (own === null) return [`${path} is in no room`];
  const { room, row } = own;
  const isAllowed = (name: string) => {
    if (!name.startsWith('.')) return row.mayUse.has(packageOf(name));
    const target = roomOf(targetOf(name, path), rows)?.room;
    return target !== undefined && (target === room || row.mayImport.has(target));
  };
  return [...imports, ...globals].filter((name) => !isAllowed(name)).map((name) => `${path} may not use ${name}`);
}

/** Modules of Node by their full name, packages without a path in them. */
function packageOf(name: string): string {
  return name.startsWith('node:') ? name : name.replace(/^(@[^/]+\/[^/]+|[^@/]+)\/.*/, '$1');
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}
