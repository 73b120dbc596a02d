/**
 * Reads folded stacks with the programs that users feed them to: speedscope and flamegraph.pl.
 */
import { execa } from 'execa';
import { pathOf } from '../../../tools/needs.js';
import type { Speedscope } from './speedscope.js';

/** Self values by path, the frames joined by ";"; paths without a value are absent. */
export type Stacks = ReadonlyMap<string, number>;

/** Returns what speedscope exports after loading stacks. */
export async function readBySpeedscope(
  speedscope: Speedscope,
  folded: string,
  name = 'trace.folded',
): Promise<{ stacks: Stacks; total: number }> {
  return stacksOf((await speedscope.exportOf(folded, name)) as SpeedscopeFile);
}

interface SpeedscopeFile {
  readonly shared: { readonly frames: readonly { readonly name: string }[] };
  readonly profiles: readonly [{ readonly endValue: number; readonly events: readonly FrameEvent[] }];
}

/** A frame opens or closes. */
interface FrameEvent {
  readonly type: 'O' | 'C';
  readonly frame: number;
  readonly at: number;
}

function stacksOf({ shared, profiles }: SpeedscopeFile): { stacks: Stacks; total: number } {
  const [{ events, endValue }] = profiles;
  const stacks = new Map<string, number>();
  const open: string[] = [];
  let last = 0;
  for (const { type, frame, at } of events) {
    if (at > last) stacks.set(open.join(';'), (stacks.get(open.join(';')) ?? 0) + at - last);
    last = at;
    if (type === 'O') open.push(shared.frames[frame]?.name ?? '');
    else open.pop();
  }
  return { stacks, total: endValue };
}

export interface FlameGraph {
  /** Samples by frame, summed by name; `all` is the total. */
  readonly frames: ReadonlyMap<string, number>;
  /** Its warnings. */
  readonly stderr: string;
}

/** Returns the frames that flamegraph.pl draws: each frame's title is "NAME (COUNT samples, PERCENT%)". */
export async function readByFlamegraphPl(folded: string): Promise<FlameGraph> {
  const { stdout, stderr } = await execa('perl', [pathOf('flamegraph.pl'), '--minwidth', '0'], { input: folded });
  const frames = new Map<string, number>();
  for (const [, name = '', count = ''] of stdout.matchAll(/<title>(.*) \(([\d,]+) samples, [\d.]+%\)<\/title>/g))
    frames.set(text(name), (frames.get(text(name)) ?? 0) + Number(count.replaceAll(',', '')));
  return { frames, stderr };
}

function text(markup: string): string {
  return markup.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
