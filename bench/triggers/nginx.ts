/**
 * `npm run bench:nginx`: captures requests above 20 ms of nginx, as the way from where it creates a request to where it frees it,
 * and compares the triggers with what its log says and what the client measured around it. Needs nginx, perf and the right to
 * record. The log has milliseconds, of the time at which the event loop turned: requests of less than 22 ms need no trigger.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { capture, durationOf, unmatched, writeReport } from './capturing.js';

const LIMIT_MS = 20;
const SURE_MS = LIMIT_MS + 2;
/** One request of so many waits for the server behind. */
const SLOW_EVERY = 50;
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '12000' }, date: { type: 'string' } },
});
const folder = mkdtempSync(join(tmpdir(), 'ptflame-nginx-'));
const inFolder = (name: string) => join(folder, name);
const behind = createServer(async (_, response) => {
  await wait(10 + 30 * Math.random());
  response.end('slow');
}).listen(inFolder('behind'));
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
const settings = `
daemon off; master_process off; pid ${inFolder('pid')}; error_log /dev/null;
events { worker_connections 64; }
http {
  log_format seconds $request_time; access_log ${inFolder('log')} seconds; keepalive_requests 1000000;
  ${temporary.map((name) => `${name}_temp_path ${inFolder(name)};`).join(' ')}
  server {
    listen unix:${inFolder('socket')};
    location /fast { return 200 fast; }
    location /slow { proxy_pass http://unix:${inFolder('behind')}; }
  }
}`;
mkdirSync(inFolder('logs'));
writeFileSync(inFolder('settings'), settings);
const server = spawn('nginx', ['-p', folder, '-c', inFolder('settings')], { stdio: 'ignore' });
while (!existsSync(inFolder('socket'))) await wait(100);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** From each request until the answer to the next one, as nginx answers before it frees a request. */
const enclosingNs: number[] = [];
const way = `ngx_http_create_request..ngx_http_free_request>${LIMIT_MS}ms`;
const triggers = await capture(server.pid as number, way, async () => {
  let before = performance.now();
  for (let at = 0; at <= Number(values.requests); at++) {
    const started = performance.now();
    await ask(Math.random() < 1 / SLOW_EVERY ? '/slow' : '/fast');
    if (at > 0) enclosingNs.push((performance.now() - before) * 1e6);
    before = started;
  }
});
agent.destroy();
behind.close();
server.kill();
const logNs = readFileSync(inFolder('log'), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((seconds) => Number(seconds) * 1e9);
rmSync(folder, { recursive: true });
const sure = logNs.filter((ns) => ns >= SURE_MS * 1e6);
const durations = triggers.map(durationOf);
const logged = sure.map((ns) => ns - (SURE_MS - LIMIT_MS) * 1e6);
const faults = { missed: unmatched(logged, durations), wrong: unmatched(durations, enclosingNs) };
writeReport(enclosingNs.length, sure.length, triggers, faults, values.date);

function ask(path: string): Promise<void> {
  return new Promise((done, failed) => {
    const sent = request({ socketPath: inFolder('socket'), path, agent }, (response) => {
      response.resume();
      response.on('end', () => done());
    });
    sent.on('error', failed);
    sent.end();
  });
}
