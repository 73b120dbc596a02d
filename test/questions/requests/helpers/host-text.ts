/**
 * Writes what `perf script` prints of threads on one host: calls, returns, and samples of probes with an id.
 */

/** From true time to the host's clock, in nanoseconds. */
export type Clock = (trueNs: number) => number;

export class HostText {
  private readonly clock: Clock;
  private readonly lines: { readonly ns: number; readonly text: string }[] = [];
  private readonly stacks = new Map<number, string[]>();

  constructor(clock: Clock = (ns) => ns) {
    this.clock = clock;
  }

  call(thread: readonly [pid: number, tid: number], trueNs: number, name: string): void {
    const stack = this.stackOf(thread[1]);
    const from = stack.at(-1) as string;
    stack.push(name);
    this.add(
      thread,
      trueNs,
      `  call   ${hex(addressOf(from) + 16)} ${from}+0x10 => ${hex(addressOf(name))} ${name}+0x0`,
    );
  }

  return(thread: readonly [pid: number, tid: number], trueNs: number): void {
    const stack = this.stackOf(thread[1]);
    const name = stack.pop() as string;
    const to = stack.at(-1) as string;
    const [end, after] = [addressOf(name) + 32, addressOf(to) + 21];
    this.add(thread, trueNs, `  return ${hex(end)} ${name}+0x20 => ${hex(after)} ${to}+0x15`);
  }

  /** `value`: as perf prints it: 0x7f01, "text". */
  sample(thread: readonly [pid: number, tid: number], trueNs: number, probe: string, value: string): void {
    this.add(thread, trueNs, ` probe_rpc:${probe}: (${hex(addressOf(probe))}) id=${value}`);
  }

  text(): string {
    return this.lines
      .toSorted((a, b) => a.ns - b.ns)
      .map(({ text }) => `${text}\n`)
      .join('');
  }

  private add([pid, tid]: readonly [number, number], trueNs: number, text: string): void {
    const ns = Math.round(this.clock(trueNs));
    const seconds = Math.floor(ns / 1e9);
    const time = `${seconds}.${String(ns - seconds * 1e9).padStart(9, '0')}`;
    this.lines.push({ ns, text: `${pid}/${tid} [000] ${time}: ${text}` });
  }

  private stackOf(tid: number): string[] {
    let stack = this.stacks.get(tid);
    if (stack === undefined) this.stacks.set(tid, (stack = ['main']));
    return stack;
  }
}

const NAMES = ['main', 'ask', 'send', 'recv', 'work', 'forward'];

function addressOf(name: string): number {
  return 0x401000 + 0x1000 * NAMES.indexOf(name);
}

function hex(address: number): string {
  return address.toString(16);
}

/** A request of a client, which a server handles, in true time. */
export interface Rpc {
  readonly id: string;
  readonly askNs: number;
  readonly receivedNs: number;
  readonly repliedNs: number;
  readonly answeredNs: number;
}

/**
 * Writes a request in the client: `ask`, or another function, sends the id, and receives it again. Probes on the functions where this happens.
 */
export function writeClient(
  host: HostText,
  thread: readonly [number, number],
  { id, askNs, answeredNs }: Rpc,
  name = 'ask',
): void {
  host.call(thread, askNs, name);
  host.call(thread, askNs + 100, 'send');
  host.sample(thread, askNs + 100, 'send', `"00-${id}-01"`);
  host.return(thread, askNs + 300);
  host.call(thread, answeredNs, 'recv');
  host.sample(thread, answeredNs, 'recv', `"00-${id}-01"`);
  host.return(thread, answeredNs + 100);
  host.return(thread, answeredNs + 500);
}

/** Writes it in the server: `handle` begins when the id was received, and sends it back at its end. */
export function writeServer(
  host: HostText,
  thread: readonly [number, number],
  { id, receivedNs, repliedNs }: Rpc,
): void {
  host.call(thread, receivedNs, 'recv');
  host.sample(thread, receivedNs, 'recv', `"00-${id}-01"`);
  host.call(thread, receivedNs + 200, 'work');
  host.return(thread, repliedNs - 100);
  host.call(thread, repliedNs, 'send');
  host.sample(thread, repliedNs, 'send', `"00-${id}-01"`);
  host.return(thread, repliedNs + 100);
  host.return(thread, repliedNs + 200);
}
