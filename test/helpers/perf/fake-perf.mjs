#!/usr/bin/env node
/**
 * Replaces perf in tests, behind fake-perf.sh: logs its arguments and behaves as its environment says.
 *
 * FAKE_PERF_LOG      file for its arguments, one JSON list per line, and the control commands it receives
 * FAKE_PERF_STDERR   file with what it prints to standard error before it exits with FAKE_PERF_EXIT
 * FAKE_PERF_EXIT     exit code
 * FAKE_PERF_MODE     record (default): writes a recording at SIGINT, or when its command ends
 *                    empty: writes one whose data size is 0; none: writes nothing; hang: neither acknowledges nor ends at SIGINT
 *                    deaf: records, and ignores SIGINT and SIGTERM; slow: takes a second to write
 * FAKE_PERF_RECORDING  file that it writes instead of a minimal recording
 * FAKE_PERF_SYMFS    directory with the recorded binaries, for the real perf that decodes the recording
 * FAKE_PERF_VERSION  output of --version, which fake-perf.sh prints
 * FAKE_PERF_BREAKPOINTS  how often the breakpoint is hit that fake-perf.sh counts
 * FAKE_PERF_WAKINGS  FAKE_PERF_MODE of the perf that records wakings; fails: exits with 1 at once; dies: after it began
 * FAKE_PERF_OFFSET   where in the file it adds every probe, in hexadecimal
 * FAKE_PERF_HITS     what the perf that watches a function writes once it is enabled: JSON list of [milliseconds, base64]
 * FAKE_PERF_DUMPS    what the perf that overwrites its buffer does at SIGUSR2: writes (default) a snapshot; none: nothing;
 *                    dies: exits with 1; absent: names a file that it has not written; cut: writes a part
 * FAKE_PERF_PROBES   number of probes that can be added; the next one fails
 * PTFLAME_TEST_ROOT  below it are the probes that `perf probe` adds
 */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

const { FAKE_PERF_LOG, FAKE_PERF_STDERR, FAKE_PERF_EXIT = '0' } = process.env;
const { FAKE_PERF_RECORDING, FAKE_PERF_SYMFS } = process.env;
const args = process.argv.slice(2);
const isOfWakings = args.includes('sched:sched_waking');
const FAKE_PERF_MODE = (isOfWakings && process.env.FAKE_PERF_WAKINGS) || process.env.FAKE_PERF_MODE || 'record';
const output = args[args.indexOf('-o') + 1];
const isWatcher = output === '-';
const isCapture = args.includes('--switch-output=signal');
const { FAKE_PERF_HITS = '[]', FAKE_PERF_DUMPS = 'writes' } = process.env;
const tracing = `${process.env.PTFLAME_TEST_ROOT}/sys/kernel/tracing`;
const log = (entry) => FAKE_PERF_LOG && appendFileSync(FAKE_PERF_LOG, `${JSON.stringify(entry)}\n`);

/** Returns the parts of a perf.data header that tests read. */
function recording(dataBytes) {
  const bytes = Buffer.alloc(104 + 64);
  bytes.write('PERFILE2', 'latin1');
  bytes.writeBigUInt64LE(104n, 8);
  bytes.writeBigUInt64LE(104n, 40);
  bytes.writeBigUInt64LE(BigInt(dataBytes), 48);
  return bytes;
}

function write() {
  if (FAKE_PERF_MODE === 'none') return;
  let path = args[args.indexOf('-o') + 1];
  if (args.includes('--kcore')) {
    mkdirSync(path, { recursive: true });
    path += '/data';
  }
  if (FAKE_PERF_RECORDING)
    writeFileSync(path, readFileSync(FAKE_PERF_RECORDING), { mode: 0o600 }); // as perf does
  else writeFileSync(path, recording(FAKE_PERF_MODE === 'empty' ? 0 : 64), { mode: 0o600 });
}

function end(code, signal) {
  write();
  process.stderr.write('[ perf record: Captured and wrote 0.001 MB perf.data ]\n', () => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function listen() {
  let text = '';
  new Socket({ fd: 3 })
    .on('error', () => {})
    .on('data', (bytes) => {
      text += bytes;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
        const command = text.slice(0, at);
        log(isOfWakings ? `wakings ${command}` : isWatcher ? `watcher ${command}` : command);
        if (isWatcher && command === 'enable') writeHits(JSON.parse(FAKE_PERF_HITS));
        if (FAKE_PERF_MODE === 'dies') setTimeout(() => process.exit(1), 50);
        text = text.slice(at + 1);
        if (FAKE_PERF_MODE !== 'hang') writeSync(4, 'ack\n\0');
      }
    });
}

async function writeHits(hits) {
  for (const [ms, bytes] of hits) {
    await new Promise((done) => setTimeout(done, ms));
    if (bytes === 'dies') process.exit(1);
    process.stdout.write(Buffer.from(bytes, 'base64'));
  }
}

function dump() {
  if (FAKE_PERF_DUMPS === 'dies') process.exit(1);
  if (FAKE_PERF_DUMPS === 'none') return;
  const path = `${output}.${new Date().toISOString().replace(/\D/g, '').slice(0, 16)}`; // two may have the same
  if (FAKE_PERF_DUMPS === 'writes') writeFileSync(path, recording(64), { mode: 0o600 });
  if (FAKE_PERF_DUMPS === 'cut') writeFileSync(path, recording(4096), { mode: 0o600 });
  process.stderr.write(`[ perf record: Dump ${path} ]\n`);
}

function capture() {
  listen();
  setInterval(() => {}, 1000);
  if (isCapture) writeFileSync(output, recording(0));
  process.on('SIGUSR2', dump);
  process.on('SIGINT', () => {
    if (isCapture) dump();
    process.stderr.write('', () => process.exit(0));
  });
}

function record() {
  const at = args.indexOf('--');
  const workload = at < 0 ? [] : args.slice(at + 1);
  const isDeaf = FAKE_PERF_MODE === 'deaf' || FAKE_PERF_MODE === 'hang';
  process.on('SIGTERM', () => isDeaf || process.exit(143));
  if (args.includes('--control')) listen();
  const child = workload.length === 0 ? null : spawn(workload[0], workload.slice(1), { stdio: 'inherit' });
  child?.on('exit', (code, signal) => isDeaf || end(code, signal));
  setInterval(() => {}, 1000);
  process.on('SIGINT', () => {
    if (isDeaf) return;
    child?.removeAllListeners('exit');
    child?.kill('SIGTERM');
    setTimeout(() => end(0, 'SIGTERM'), FAKE_PERF_MODE === 'slow' ? 1000 : 0);
  });
}

/** Adds a probe at the given offset of the file, or else at byte 0x10. */
function probe() {
  const [, file, group, name, definition] = /--exec=(.*)\n--add=(\w+):(\w+)=(.*)/.exec(args.join('\n'));
  const path = `${tracing}/uprobe_events`;
  const kind = definition.includes('%return') ? 'r' : 'p';
  if (readFileSync(path, 'utf8').split('\n').length > Number(process.env.FAKE_PERF_PROBES ?? 9)) {
    process.stderr.write(`Failed to find symbol ${definition} in ${file}\n  Error: Failed to add events.\n`);
    process.exit(254);
  }
  const offset = (/^0x([0-9a-f]+)/.exec(definition)?.[1] ?? '10').padStart(16, '0');
  appendFileSync(path, `${kind}:${group}/${name} ${file}:0x${process.env.FAKE_PERF_OFFSET ?? offset} job=%di\n`);
  mkdirSync(`${tracing}/events/${group}/${name}`, { recursive: true });
  writeFileSync(`${tracing}/events/${group}/${name}/format`, `name: ${name}\nID: 2000\n`);
}

function decode() {
  const { status } = spawnSync('perf', [...args, `--symfs=${FAKE_PERF_SYMFS}`], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

log(args);
if (args[0] === 'script') decode();
else if (args[0] === 'probe') probe();
else if (isOfWakings && FAKE_PERF_MODE === 'fails') process.exit(1);
else if (FAKE_PERF_STDERR) {
  write();
  process.stderr.write(readFileSync(FAKE_PERF_STDERR), () => process.exit(Number(FAKE_PERF_EXIT)));
} else if (FAKE_PERF_EXIT !== '0') process.exit(Number(FAKE_PERF_EXIT));
else if (isWatcher || isCapture) capture();
else record();
