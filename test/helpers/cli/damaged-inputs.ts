/**
 * Creates inputs of every kind with every kind of damage: none, cut, garbled, empty, of the wrong kind, and paths that are not files.
 */
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { type Directory, fixturePath, ptflame, SIX_LINES } from './run-cli.js';

export interface DamagedInput {
  readonly name: string;
  readonly path: string;
  /** Called just before the input is read; the function that it returns is called afterwards. */
  readonly prepare?: () => () => void;
}

type Damage = (bytes: Buffer) => Buffer;

const DAMAGES: Readonly<Record<string, Damage>> = {
  undamaged: (bytes) => bytes,
  'cut in the middle': (bytes) => bytes.subarray(0, bytes.length >> 1),
  'cut after ten bytes': (bytes) => bytes.subarray(0, 10),
  'cut before the last byte': (bytes) => bytes.subarray(0, -1),
  garbled: (bytes) => bytes.map((byte, at) => (at % 97 === 60 ? byte ^ 0x55 : byte)) as Buffer,
  'with zeros in the middle': (bytes) => Buffer.from(bytes).fill(0, bytes.length >> 2, bytes.length >> 1),
  'twice in a row': (bytes) => Buffer.concat([bytes, bytes]),
  'gz of gz': (bytes) => gzipSync(gzipSync(bytes)),
};

/** Returns an undamaged input of each kind. */
async function kindsIn(dir: Directory): Promise<Map<string, Buffer>> {
  const text = await readFile(SIX_LINES);
  const recording = fixturePath('recordings/loop-1.data');
  const [imported, packed, profile] = [dir.file('x.ptf'), dir.file('x.pack'), dir.file('x.json')];
  await ptflame(['import', SIX_LINES, '-o', imported]);
  await ptflame(['pack', recording, '--symfs', fixturePath('recordings/root'), '-o', packed]);
  await ptflame(['render', SIX_LINES, '-o', profile]);
  return new Map([
    ['text', text],
    ['gzip', gzipSync(text)],
    ['recording', await readFile(recording)],
    ['imported trace', await readFile(imported)],
    ['pack', await readFile(packed)],
    ['profile', await readFile(profile)],
  ]);
}

export async function damagedInputs(dir: Directory): Promise<DamagedInput[]> {
  const inputs: DamagedInput[] = [];
  for (const [kind, bytes] of await kindsIn(dir))
    for (const [damage, apply] of Object.entries(DAMAGES)) {
      const name = `${kind} ${damage}`;
      inputs.push({ name, path: await dir.write(name.replaceAll(' ', '-'), apply(Buffer.from(bytes))) });
    }
  const hostile = fixturePath('hostile');
  for (const name of await readdir(hostile)) inputs.push({ name, path: `${hostile}/${name}` });
  return [...inputs, ...(await oddPaths(dir))];
}

async function oddPaths(dir: Directory): Promise<DamagedInput[]> {
  const fifo = dir.file('fifo');
  await execa('mkfifo', [fifo]);
  await mkdir(dir.file('directory'));
  await mkdir(dir.file('data-that-is-a-directory/data'), { recursive: true });
  return [
    { name: 'an empty file', path: await dir.write('empty', '') },
    { name: 'zero bytes', path: await dir.write('zeros', Buffer.alloc(100_000)) },
    { name: 'a picture', path: fixturePath('../docs/report.png') },
    { name: 'a program', path: process.execPath },
    { name: 'a directory', path: dir.file('directory') },
    { name: 'a recording whose data is a directory', path: dir.file('data-that-is-a-directory') },
    { name: 'a device', path: '/dev/null' },
    { name: 'a missing file', path: dir.file('gone') },
    { name: 'a name that is too long', path: dir.file('x'.repeat(300)) },
    { name: 'a path below a file', path: `${SIX_LINES}/x` },
    { name: 'a file that cannot be read', path: '/proc/self/mem' },
    { name: 'a pipe that is closed at once', path: fifo, prepare: () => closePipe(fifo) },
  ];
}

/** Starts a writer that waits for a reader and then closes the pipe. */
function closePipe(fifo: string): () => void {
  const writer = spawn('sh', ['-c', ': > "$0"', fifo], { stdio: 'ignore' });
  return () => void writer.kill('SIGKILL');
}
