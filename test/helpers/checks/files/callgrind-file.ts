/**
 * Reads a callgrind file line by line, as its format is described in Valgrind's manual.
 */
export interface CallgrindFile {
  readonly events: readonly string[];
  readonly summary: readonly number[];
  /** By function: costs without callees. */
  readonly self: ReadonlyMap<string, readonly number[]>;
  /** By caller and callee, each on a line: calls, then costs with callees. */
  readonly calls: ReadonlyMap<string, readonly number[]>;
}

export function readCallgrind(text: string): CallgrindFile {
  const numbers = (line: string) => line.split(' ').map(Number);
  const header = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  const [self, calls] = [new Map<string, readonly number[]>(), new Map<string, readonly number[]>()];
  const names = new Map<string, string>();
  let [caller, callee, count] = ['', '', Number.NaN];
  for (const line of text.slice(text.indexOf('\nfl=')).split('\n')) {
    const [, key, number = '', name] = /^(c?fn)=(\(\d+\))(?: (.*))?$/.exec(line) ?? [];
    if (name !== undefined) names.set(number, name);
    if (key === 'fn') caller = names.get(number) as string;
    if (key === 'cfn') callee = names.get(number) as string;
    if (line.startsWith('calls=')) count = Number(line.slice(6, line.indexOf(' ')));
    if (!/^\d/.test(line)) continue;
    const [, ...costs] = numbers(line);
    if (Number.isNaN(count)) self.set(caller, costs);
    else calls.set(`${caller}\n${callee}`, [count, ...costs]);
    count = Number.NaN;
  }
  return { events: header('events').split(' '), summary: numbers(header('summary')), self, calls };
}
