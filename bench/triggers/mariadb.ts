/**
 * `npm run bench:mariadb`: captures statements above 20 ms of a MariaDB server with four clients, and compares the triggers of each
 * of its threads with what the server's slow log says from within the call and what the client measured around it: the server answers before the call ends, so until the answer to the next statement. Needs
 * mariadbd, mariadb-install-db and mariadb, perf and root.
 */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { capture, durationOf, unmatched, writeReport } from './capturing.js';

const LIMIT_NS = 20e6;
const CLIENTS = 4;
/** One statement of so many sleeps, and one computes. */
const SLOW_EVERY = 100;
const { values } = parseArgs({
  options: { statements: { type: 'string', default: '12000' }, date: { type: 'string' } },
});
const folder = mkdtempSync(join(tmpdir(), 'ptflame-mariadb-'));
const [data, socket, log] = ['data', 'socket', 'slow.log'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
const own = ['--no-defaults', `--datadir=${data}`, '--user=root'];
execFileSync('mariadb-install-db', [...own, '--auth-root-authentication-method=normal'], { stdio: 'ignore' });
const slowLog = ['--slow-query-log=1', `--slow-query-log-file=${log}`, `--long-query-time=${LIMIT_NS / 1e9}`];
const server = spawn('mariadbd', [...own, `--socket=${socket}`, '--skip-networking', ...slowLog], { stdio: 'ignore' });
while (!existsSync(socket)) await wait(100);

interface Client {
  readonly program: ChildProcessByStdio<Writable, Readable, null>;
  /** The server's thread, as Linux and as the server count it. */
  readonly thread: number;
  readonly connection: number;
  /** From each statement until the answer to the next one. */
  readonly enclosingNs: number[];
}

const clients = await Promise.all(Array.from({ length: CLIENTS }, connected));
const triggers = await capture(server.pid as number, `dispatch_command>${LIMIT_NS / 1e6}ms`, async () => {
  await Promise.all(clients.map(load));
});
for (const { program } of clients) program.stdin.end();
server.kill();
await once(server, 'exit');
const logged = [...readFileSync(log, 'utf8').matchAll(/^# Thread_id: (\d+) [\s\S]*?^# Query_time: ([\d.]+) /gm)];
rmSync(folder, { recursive: true });

const faults = { missed: 0, wrong: 0 };
let slow = 0;
for (const { thread, connection, enclosingNs } of clients) {
  const serverNs = logged.filter(([, id]) => Number(id) === connection).map(([, , seconds]) => Number(seconds) * 1e9);
  const durations = triggers.filter((each) => each.thread === thread).map(durationOf);
  slow += serverNs.length;
  faults.missed += unmatched(serverNs, durations);
  faults.wrong += unmatched(durations, enclosingNs);
}
writeReport(clients.flatMap(({ enclosingNs }) => enclosingNs).length, slow, triggers, faults, values.date);

async function connected(): Promise<Client> {
  const args = ['--no-defaults', `--socket=${socket}`, '--user=root', '--batch', '--skip-column-names', '--unbuffered'];
  const program = spawn('mariadb', args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const where = 'FROM information_schema.processlist WHERE id = connection_id()';
  const [thread, connection] = (await ask(program, `SELECT tid, id ${where}`)).split('\t').map(Number) as [
    number,
    number,
  ];
  return { program, thread, connection, enclosingNs: [] };
}

async function load({ program, enclosingNs }: Client): Promise<void> {
  let before = performance.now();
  await ask(program, statement());
  for (let at = 0; at < Number(values.statements) / CLIENTS; at++) {
    const started = performance.now();
    await ask(program, statement());
    enclosingNs.push((performance.now() - before) * 1e6);
    before = started;
  }
}

function statement(): string {
  const chance = Math.random() * SLOW_EVERY;
  if (chance < 1) return `SELECT SLEEP(${(0.015 + 0.02 * Math.random()).toFixed(4)})`;
  return chance < 2 ? `SELECT BENCHMARK(${Math.round(2e5 * Math.random())}, MD5('x'))` : `SELECT ${chance}`;
}

async function ask({ stdin, stdout }: Client['program'], text: string): Promise<string> {
  stdin.write(`${text};\n`);
  const [answer] = (await once(stdout, 'data')) as [Buffer];
  return answer.toString('latin1');
}
