/**
 * Makes a folder of made-up recordings: hosts with two builds, in the second of which one function is slower.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallTree } from '../../src/model/calls/call-tree.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { recordingTables, TABLES } from '../../src/parquet/recording-tables.js';
import { madeUpProfile } from '../exports/made-up.js';

export interface FleetRecipe {
  readonly recordings: number;
  readonly paths: number;
  readonly functions: number;
}

/** The function that is slower: its row among the symbols. */
const SLOWER = 42;
const SLOWER_BY = 1.5;
/** The largest difference between recordings. */
const NOISE = 0.02;

/**
 * Returns the folder and the name of the function that the second build made slower. It is made once, and renamed when it
 * is whole.
 */
export function fleetFolder(
  directory: string,
  recipe: FleetRecipe,
): { readonly path: string; readonly slower: string } {
  const path = join(directory, `fleet-${recipe.recordings}-${recipe.paths}-${recipe.functions}`);
  const profile = madeUpProfile(recipe.paths, recipe.functions);
  const slower = profile.symbols.name[SLOWER];
  if (existsSync(path)) return { path, slower };
  const part = `${path}.part`;
  rmSync(part, { recursive: true, force: true });
  for (let recording = 0; recording < recipe.recordings; recording++) {
    const isSecond = recording % 2 === 1;
    const factor = 1 + (NOISE * ((recording * 7) % 11)) / 10;
    addRecording(part, scaled(profile, factor, isSecond), isSecond ? '2' : '1', `host${recording >> 1}`);
  }
  renameSync(part, path);
  return { path, slower };
}

function scaled(profile: Profile, factor: number, isSlower: boolean): Profile {
  const treeOf = (tree: CallTree): CallTree => {
    const selfNs = tree.selfNs.map((ns, node) =>
      Math.round(ns * factor * (isSlower && tree.symbol[node] === SLOWER ? SLOWER_BY : 1)),
    );
    return { ...tree, selfNs, completeNs: selfNs, minNs: selfNs, maxNs: selfNs };
  };
  return { ...profile, threads: profile.threads.map((thread) => ({ ...thread, tree: treeOf(thread.tree) })) };
}

function addRecording(path: string, profile: Profile, build: string, host: string): void {
  const id = createHash('sha256').update(`${build} ${host}`).digest('hex');
  const tables = recordingTables(id, profile, { build, host, input: 'perf.data' });
  for (const table of TABLES) {
    const folder = join(path, table, `build=${build}`, `host=${host}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${id}.parquet`), Buffer.concat([...tables[table]()]));
  }
}
