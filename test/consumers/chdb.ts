/**
 * Asks ClickHouse as a library: chDB, which takes 543 MB, and so is fetched from npm for these tests alone.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSION = '3.4.0';
const CACHE = join(tmpdir(), 'ptflame-consumers', `chdb-${VERSION}`);

interface Session {
  query(sql: string, format?: string): string;
  close(): void;
}

export interface ClickHouse {
  /** Runs statements that end with a semicolon at the end of a line. */
  run(sql: string): void;
  /** Returns the rows of an answer; numbers of 64 bits are numbers. */
  ask(sql: string): Record<string, unknown>[];
  close(): void;
}

/** Returns its folder, from the cache or from npm; otherwise why there is none. */
export function findChdb(): { readonly folder: string } | { readonly problem: string } {
  try {
    if (!existsSync(join(CACHE, 'installed'))) fetchChdb();
    return { folder: CACHE };
  } catch (error) {
    return { problem: `chDB cannot be fetched: ${error instanceof Error ? error.message : error}` };
  }
}

function fetchChdb(): void {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), '{ "private": true }\n');
  const flags = ['--save-exact', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  execFileSync('npm', ['install', ...flags, `chdb@${VERSION}`], { cwd: CACHE, stdio: ['ignore', 'ignore', 'pipe'] });
  writeFileSync(join(CACHE, 'installed'), '');
}

export function startClickHouse(folder: string): ClickHouse {
  const require = createRequire(join(folder, 'package.json'));
  const session: Session = new (require('chdb') as { Session: new () => Session }).Session();
  session.query('CREATE DATABASE fleet ENGINE = Atomic');
  session.query('USE fleet');
  return {
    run(sql) {
      const statements = sql.replace(/^--.*$/gm, '').split(/;\s*$/m);
      for (const statement of statements) if (statement.trim() !== '') session.query(statement);
    },
    ask: (sql) => JSON.parse(session.query(`${sql} SETTINGS output_format_json_quote_64bit_integers = 0`, 'JSON')).data,
    close: () => session.close(),
  };
}
