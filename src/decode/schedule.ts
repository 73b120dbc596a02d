/**
 * Which thread ran on each CPU, and in which image, from the records of a recording.
 */
import { NONE, type Tid } from '../model/units.js';
import type { FilteredRegion } from './images.js';
import { type Image, Images } from './images.js';

/** Something that happened at a tick; in order of time. */
export type Sideband = { readonly tick: bigint } & (
  | {
      readonly what: 'runs';
      readonly cpu: number;
      readonly pid: number;
      readonly tid: Tid;
      /** From where the kernel switches stacks on, which comes after its record. */
      readonly isAtSwitch?: boolean;
    }
  | {
      readonly what: 'map';
      readonly pid: number;
      readonly start: number;
      readonly length: number;
      readonly fileOffset: number;
      readonly file: string;
      readonly filters?: readonly FilteredRegion[];
    }
  | { readonly what: 'exec'; readonly pid: number }
  | { readonly what: 'fork'; readonly pid: number; readonly parentPid: number }
);

/** From a tick on, this thread runs on a CPU, in the image of this number. Plain data. */
export interface Slot {
  readonly tick: bigint;
  /** Where the kernel switches stacks, at that tick or later, and at the tick of the next slot at the latest. */
  readonly isAtSwitch?: boolean;
  readonly tid: Tid;
  readonly pid: number;
  readonly image: number;
}

/** Whose trace it is: that of a CPU, or that of a thread. The other one is NONE. */
export interface TraceOwner {
  readonly cpu: number;
  readonly tid: Tid;
}

export interface Schedule {
  readonly images: readonly Image[];
  /** The slots of a CPU, or of a thread whose trace is recorded by itself; the first one begins at tick 0. */
  readonly slotsOf: (whose: TraceOwner) => readonly Slot[];
}

/** Builds the schedule of all CPUs from records in order of time. `threads`: those whose trace is recorded by thread. */
export function buildSchedule(
  sideband: readonly Sideband[],
  threads: readonly { readonly pid: number; readonly tid: Tid }[] = [],
): Schedule {
  const images = new Images();
  images.of(NONE); // that of the kernel is the first
  const slots = new Map<number, Slot[]>();
  const slotsOf = (cpu: number) => {
    let own = slots.get(cpu);
    if (own === undefined) slots.set(cpu, (own = [{ tick: 0n, tid: NONE, pid: NONE, image: images.of(NONE).number }]));
    return own;
  };
  const byThread = new Map(
    threads.map(({ pid, tid }) => [tid, [{ tick: 0n, tid, pid, image: images.of(pid).number }]]),
  );
  for (const record of sideband) {
    const { tick } = record;
    switch (record.what) {
      case 'runs':
        slotsOf(record.cpu).push(slotOf(record, images));
        break;
      case 'map': {
        const { pid, start, length, fileOffset, file, filters } = record;
        images.map(pid, { tick, start, end: start + length, fileOffset, file, ...(filters && { filters }) });
        break;
      }
      case 'exec':
        images.exec(record.pid);
        break;
      case 'fork':
        images.fork(record.pid, record.parentPid);
    }
    if (record.what === 'runs') continue;
    for (const own of [...slots.values(), ...byThread.values()]) follow(own, record.pid, tick, images);
  }
  return { images: images.all, slotsOf: ({ cpu, tid }) => byThread.get(tid) ?? slotsOf(cpu) };
}

function slotOf({ tick, tid, pid, isAtSwitch }: Sideband & { readonly what: 'runs' }, images: Images): Slot {
  return { tick, tid, pid, image: images.of(pid).number, ...(isAtSwitch && { isAtSwitch }) };
}

/** Begins a new slot where the process that runs has changed its memory. */
function follow(slots: Slot[], pid: number, tick: bigint, images: Images): void {
  const last = slots[slots.length - 1];
  if (last === undefined || last.pid !== pid || pid === NONE) return;
  slots.push({ tick, tid: last.tid, pid, image: images.of(pid).number });
}
