/**
 * What the offline page saves of dropped files is what the command line writes, byte for byte; nothing is requested.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { mappedFiles } from '../../../src/perfdata/mapped-files.js';
import { openRecording } from '../../../src/perfdata/open-recording.js';
import { windows } from '../../helpers/browser/browser.js';
import { drop, openOfflinePage, save, shown } from '../../helpers/browser/offline-page.js';
import { type Directory, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';

const browser = windows('html', { acceptDownloads: true });

/** What is dropped, in a folder of its own, and what the command line is given for it. */
interface Case {
  readonly files: readonly string[];
  readonly args: readonly string[];
}

type Prepare = (dir: Directory) => Promise<Case>;

async function copied(dir: Directory, ...fixtures: readonly string[]): Promise<string[]> {
  for (const fixture of fixtures) await copyFile(fixturePath(fixture), dir.file(basename(fixture)));
  return fixtures.map((fixture) => basename(fixture));
}

const asItIs =
  (...fixtures: readonly string[]): Prepare =>
  async (dir) => {
    const files = await copied(dir, ...fixtures);
    return { files, args: files };
  };

/** The command line finds binaries below a folder, the page among what is dropped. */
const withBinaries =
  (recording: string, root: string): Prepare =>
  async (dir) => {
    const [file] = (await copied(dir, recording)) as [string];
    const all = await readdir(fixturePath(root), { recursive: true, withFileTypes: true });
    const binaries = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return { files: [file, ...binaries], args: [file, '--symfs', fixturePath(root)] };
  };

/** Makes the folder with the binaries of the recordings in fixtures/waits, at their recorded paths. */
async function waitsRoot(dir: Directory, recording: string): Promise<{ root: string; binaries: string[] }> {
  const root = dir.file('root');
  const binaries: string[] = [];
  for (const { path } of mappedFiles(await openRecording(recording))) {
    const packed = fixturePath(`waits/root/${basename(path)}.gz`);
    if (!existsSync(packed)) continue;
    await mkdir(dirname(root + path), { recursive: true });
    await writeFile(root + path, gunzipSync(await readFile(packed)));
    binaries.push(root + path);
  }
  return { root, binaries };
}

const waits =
  (fixture: string): Prepare =>
  async (dir) => {
    const recording = await dir.write('perf.data', gunzipSync(await readFile(fixturePath(fixture))));
    const { root, binaries } = await waitsRoot(dir, recording);
    expect(binaries.length).toBeGreaterThan(1);
    return { files: ['perf.data', ...binaries], args: ['perf.data', '--symfs', root] };
  };

const packed =
  (fixture: string): Prepare =>
  async (dir) => {
    const { args } = await waits(fixture)(dir);
    await write(['pack', ...args], ['trace.pack'], dir);
    return { files: ['trace.pack'], args: ['trace.pack'] };
  };

/** The recording of another run with the same clock; who wakes whom does not matter. */
const withWakings: Prepare = async (dir) => {
  const own = await waits('waits/waits.data.gz')(dir);
  await copyFile(dir.file('perf.data'), dir.file('perf.data.wakes.data'));
  return { ...own, files: ['perf.data.wakes.data', ...own.files] };
};

const madeOf =
  (command: readonly string[], file: string): Prepare =>
  async (dir) => {
    await write(command, [file], dir);
    return { files: [file], args: [file] };
  };

/** Enough for two workers to read and to replay: four threads, 208,000 events. */
const large: Prepare = async (dir) => {
  const lines = Array.from({ length: 26_000 }, (_, round) =>
    [1, 2, 3, 4].map((tid) => {
      const time = (ns: number) => `1.${String(round * 1000 + tid * 10 + ns).padStart(9, '0')}`;
      const head = `server 100/10${tid} [00${tid}]`;
      const callee = 0x402000 + 64 * (round % 97);
      const name = `step_${round % 97}+0x0`;
      const to = `${callee.toString(16)} ${name}`;
      return `${head} ${time(0)}: call 401010 work+0x10 => ${to}\n${head} ${time(5)}: return ${to} => 401015 work+0x15\n`;
    }),
  );
  await dir.write('large.txt', lines.flat().join(''));
  return { files: ['large.txt'], args: ['large.txt'] };
};

const CASES: Readonly<Record<string, Prepare>> = {
  'text of perf script': asItIs('lab/demo-cre.txt'),
  'compressed text': asItIs('demo/threads.perf.txt.gz'),
  'text with samples': asItIs('waits/requests.txt.gz'),
  'several texts': asItIs('lab/demo-cre.txt', 'lab/thread-create-switch-migrate.txt'),
  'a large text': large,
  'damaged text': asItIs('damaged/lines-glued.txt'),
  'an imported trace': madeOf(['import', fixturePath('waits/requests.txt.gz')], 'trace.ptf'),
  'a profile': madeOf(['render', fixturePath('demo/threads.perf.txt.gz')], 'profile.json'),
  'a recording with losses': withBinaries('recordings/lossy.data', 'recordings/root'),
  'a recording with a library': withBinaries('recordings/waits.data', 'recordings/root'),
  'a recording with wakings next to it': withWakings,
  'a pack with waits': packed('waits/waits.data.gz'),
};

const MENU = { folded: 'Folded stacks', json: 'Profile', svg: 'Picture', html: 'Report page', ptf: 'Trace' } as const;

const wantedFile = (format: keyof typeof MENU) => `wanted.${format}`;

/** All outputs are written by one run: test/cli/output shows that each is that of a run of its own. */
async function write(words: readonly string[], outputs: readonly string[], dir: Directory): Promise<void> {
  const run = await ptflame([...words, ...outputs.flatMap((file) => ['-o', file]), '-q'], { cwd: dir.path });
  expect(run).toMatchObject({ exitCode: 0 });
}

const timeout = 120_000;

/** The other ones are read by two; other tests show that the number of workers changes nothing. */
const BY_ONE_WORKER = ['text of perf script', 'a recording with losses'];

test.for(Object.entries(CASES))('%s', { timeout }, async ([name, prepare], { dir }) => {
  const { files, args } = await prepare(dir);
  const formats = (Object.keys(MENU) as (keyof typeof MENU)[]).filter((own) => name !== 'a profile' || own !== 'ptf');
  for (const command of ['render', 'import']) {
    const outputs = formats.filter((format) => (format === 'ptf') === (command === 'import')).map(wantedFile);
    if (outputs.length > 0) await write([command, ...args], outputs, dir);
  }
  const page = await openOfflinePage(browser, BY_ONE_WORKER.includes(name) ? 1 : 2);
  await drop(page, ...files.map((file) => (file.startsWith('/') ? file : dir.file(file))));
  if ((await shown(page)) === 'needs') await page.getByRole('button', { name: 'Show without' }).click();
  expect(await shown(page)).toBe('report');
  for (const format of formats) {
    const { bytes } = await save(page, MENU[format]);
    const wanted = await readFile(dir.file(wantedFile(format)));
    expect.soft(bytes.equals(wanted), `${format}: ${bytes.length} bytes, wanted ${wanted.length}`).toBe(true);
  }
  await page.close();
});

describe('two are compared, and the files are those of ptflame diff', () => {
  const recordings: Prepare = async (dir) => {
    const own = await withBinaries('recordings/cpus-2.data', 'recordings/root')(dir);
    const [other = ''] = await copied(dir, 'recordings/cpus-4.data');
    const [before, ...binaries] = own.files as [string, ...string[]];
    return { files: [before, other, ...binaries], args: [before, other, ...own.args.slice(1)] };
  };
  const packs: Prepare = async (dir) => {
    const { args } = await recordings(dir);
    for (const file of args.slice(0, 2)) await write(['pack', file, ...args.slice(2)], [`${file}.pack`], dir);
    const files = args.slice(0, 2).map((file) => `${file}.pack`);
    return { files, args: files };
  };
  const madeBy =
    (command: string, ending: string): Prepare =>
    async (dir) => {
      const files = ['demo-cre', 'thread-create-switch-migrate'].map((name) => `${name}.${ending}`);
      for (const file of files) {
        const from = fixturePath(`lab/${file.replace(/\.\w+$/, '.txt')}`);
        await write([command, from], [file], dir);
      }
      return { files, args: files };
    };

  test.for([
    ['recordings', recordings],
    ['packs', packs],
    ['imported traces', madeBy('import', 'ptf')],
    ['profiles', madeBy('render', 'json')],
  ] as const)('%s', async ([, prepare], { dir }) => {
    const { files, args } = await prepare(dir);
    const page = await openOfflinePage(browser, 2);
    await drop(page, ...files.map((file) => (file.startsWith('/') ? file : dir.file(file))));
    expect(await shown(page)).toBe('report');
    expect(await page.title()).toContain(`${args[0]} → ${args[1]}`);
    const compared = ['folded', 'svg', 'html'] as const;
    await write(['diff', ...args], compared.map(wantedFile), dir);
    for (const format of compared) {
      const { bytes } = await save(page, MENU[format]);
      expect.soft(bytes.equals(await readFile(dir.file(wantedFile(format)))), format).toBe(true);
    }
    await page.close();
  });
});
