/**
 * `npm run bench:redis`: captures slow commands of a Redis server, and compares the triggers with what the server's slow log says
 * from within each call and what the client measured around it. Needs redis-server, perf and the right to record.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { capture, durationOf, unmatched, writeReport } from './capturing.js';

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
const socket = connect(socketPath);
/** How long each command took, by the client. */
const commandNs: number[] = [];
const triggers = await capture(server.pid as number, `call>${LIMIT_NS / 1e6}ms`, async () => {
  for (let at = 0; at < Number(values.commands); at++) commandNs.push(await timed(socket, at));
});
const slowLog = await ask(socket, 'SLOWLOG GET -1');
socket.end();
server.kill();
rmSync(folder, { recursive: true });
const serverNs = [...slowLog.matchAll(/\*6\r\n:\d+\r\n:\d+\r\n:(\d+)\r\n/g)]
  .map(([, us]) => Number(us) * 1e3)
  .reverse();
const slow = commandNs.filter((ns) => ns >= LIMIT_NS);
const durations = triggers.map(durationOf);
const faults = { missed: unmatched(serverNs, durations), wrong: unmatched(durations, slow) };
writeReport(commandNs.length, serverNs.length, triggers, faults, values.date);

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
