/**
 * `npm run bench:redis`: captures slow commands of a Redis server, and compares the triggers with what the server's slow log says
 * from within each call and what the client measured around it. Needs redis-server, perf and the right to record.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machineFacts, table, whereText } from '../report.js';
import type { Trigger } from './compare.js';

const LIMIT_NS = 5e6;
/** One command of so many sleeps. */
const SLOW_EVERY = 50;
const { values } = parseArgs({
  options: { commands: { type: 'string', default: '12000' }, date: { type: 'string' } },
});
const folder = mkdtempSync(join(tmpdir(), 'ptflame-redis-'));
const socketPath = join(folder, 'socket');
const settings = {
  ...{ port: '0', unixsocket: socketPath, save: '', dir: folder, 'enable-debug-command': 'local' },
  ...{ 'slowlog-log-slower-than': `${LIMIT_NS / 1e3}`, 'slowlog-max-len': '100000' },
};
const server = spawn(
  'redis-server',
  Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
  { stdio: 'ignore' },
);
await wait(2000);
const output = join(folder, 'slow');
const cli = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const what = ['--no-trace', '--trigger', `call>${LIMIT_NS / 1e6}ms`, '--every', '100ms', '--max-cost', '100%'];
const recording = spawn(process.execPath, [cli, 'record', '-p', `${server.pid}`, ...what, '-o', output], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
let stderr = '';
recording.stderr.on('data', (text: Buffer) => {
  stderr += text;
});
const recorded = once(recording, 'exit');
while (!stderr.includes('waiting for calls')) {
  if (recording.exitCode !== null) throw new Error(stderr);
  await wait(50);
}
const socket = connect(socketPath);
/** How long each command took, by the client. */
const commandNs: number[] = [];
for (let at = 0; at < Number(values.commands); at++) commandNs.push(await timed(socket, at));
await wait(1000);
recording.kill('SIGINT');
await recorded;
const slowLog = await ask(socket, 'SLOWLOG GET -1');
socket.end();
server.kill();
const serverNs = [...slowLog.matchAll(/\*6\r\n:\d+\r\n:\d+\r\n:(\d+)\r\n/g)]
  .map(([, us]) => Number(us) * 1e3)
  .reverse();
const triggers = readFileSync(join(output, 'triggers.jsonl'), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Trigger & { readonly startNs: number })
  .sort((a, b) => a.endNs - b.endNs); // a line with a snapshot is written when that is
rmSync(folder, { recursive: true });
const durations = triggers.map(({ startNs, endNs }) => endNs - startNs);
const seenMs = triggers.map(({ seenAfterNs }) => seenAfterNs / 1e6).sort((a, b) => a - b);
const slow = commandNs.filter((ns) => ns >= LIMIT_NS);
const columns = ['commands', 'slow by the slow log', 'triggers', 'missed', 'false', 'seen after ms: median', 'p99'];
const at = (share: number) => (seenMs[Math.floor(seenMs.length * share)] ?? 0).toFixed(2);
const counts = [
  commandNs.length,
  serverNs.length,
  triggers.length,
  unmatched(serverNs, durations),
  unmatched(durations, slow),
];
process.stdout.write(`${whereText(machineFacts(values.date ?? new Date().toISOString().slice(0, 10)))}\n\n`);
process.stdout.write(`${table(columns, [[...counts.map(String), at(0.5), at(0.99)]])}\n`);

/** There is one client: all are in the order of time. Counts the inner times that none of the outer ones, which are longer, encloses. */
function unmatched(inner: readonly number[], outer: readonly number[]): number {
  let [next, count] = [0, 0];
  for (const ns of inner) {
    const found = outer.findIndex((own, row) => row >= next && own >= ns - 1e3);
    if (found < 0) count++;
    else next = found + 1;
  }
  return count;
}

async function timed(to: Socket, at: number): Promise<number> {
  const isSlow = Math.random() < 1 / SLOW_EVERY;
  const text = isSlow ? `DEBUG SLEEP ${(0.006 + 0.01 * Math.random()).toFixed(4)}` : `SET key:${at % 100} ${at}`;
  const started = performance.now();
  await ask(to, text);
  return (performance.now() - started) * 1e6;
}

/** Returns the answer as the server sends it. An answer of many lines ends when nothing follows for a while. */
async function ask(to: Socket, text: string): Promise<string> {
  to.write(`${text}\r\n`);
  const [first] = (await once(to, 'data')) as [Buffer];
  let answer = first.toString('latin1');
  if (!answer.startsWith('*')) return answer;
  for (;;) {
    const more = await Promise.race([once(to, 'data') as Promise<[Buffer]>, wait(1000, null)]);
    if (more === null) return answer;
    answer += more[0].toString('latin1');
  }
}
