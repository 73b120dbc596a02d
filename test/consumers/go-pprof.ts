/**
 * Reads files with `go tool pprof`.
 */
import { execa } from 'execa';
import { type PathValues, sumsOf } from '../helpers/checks/path-values.js';
import { pathOf } from '../tools/needs.js';

async function pprof(file: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execa(pathOf('go'), ['tool', 'pprof', '-symbolize=none', ...args, file]);
  return stdout;
}

/** Returns the values of all paths, by thread, from `-raw`: samples with the numbers of locations, then the locations. */
export async function readRaw(file: string): Promise<PathValues> {
  const text = await pprof(file, '-raw');
  const [samples = '', locations = ''] = text.split(/^Samples:\n|^Locations\n/m).slice(1);
  const names = new Map([...locations.matchAll(LOCATION)].map(([, id = '', name = '']) => [id, name]));
  return sumsOf(
    [...samples.matchAll(SAMPLE)].map(([, values = '', path = '', tid = '']) => {
      const frames = path.trim().split(' ').reverse();
      return [[tid, ...frames.map((id) => names.get(id))].join('\n'), values.trim().split(/ +/).map(Number)];
    }),
  );
}

/** "         1        48        48: 3 2 1", then labels: those with texts, and those with numbers. */
const SAMPLE = /^([ -\d]+): ([ \d]*)\n(?: +[^\d\n].*\n)*? +(?:pid:\[\d+\] )?tid:\[(-?\d+)\]$/gm;
/** "     3: 0x0 M=1 main /src/m.c:7 s=7()". */
const LOCATION = /^ *(\d+): 0x0 (?:M=\d+ )?(.*) [^ ]*:\d+ s=\d+\(.*\)$/gm;

export interface Row {
  readonly flat: number;
  readonly cum: number;
}

const SHOW_ALL = ['-nodecount=0', '-nodefraction=0', '-edgefraction=0', '-unit=ns'];

/** Returns the rows of `-top` by name. */
export async function readTop(file: string, type: string): Promise<ReadonlyMap<string, Row>> {
  const text = await pprof(file, '-top', `-sample_index=${type}`, ...SHOW_ALL);
  const rows = text.matchAll(/^ *(\d+)(?:ns)? +\S+% +\S+% +(\d+)(?:ns)? +\S+% {2}(.*)$/gm);
  return new Map([...rows].map(([, flat, cum, name = '']) => [name, { flat: Number(flat), cum: Number(cum) }]));
}
