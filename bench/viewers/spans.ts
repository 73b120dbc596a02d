/**
 * Turns a trace into its calls of at least a duration, per thread, properly nested.
 */
import { type CallTree, openTraceFile } from '../../src/index.js';
import { analyzeForPage, type PageContents } from '../../src/page.js';

/** Times in ns since the start of the recording. */
export interface Span {
  readonly name: string;
  readonly startNs: number;
  readonly endNs: number;
}

export interface ThreadSpans {
  readonly tid: number;
  /** By start, callers before callees. */
  readonly spans: readonly Span[];
}

/** Has room for all calls of the largest trace. */
const ALL_CALLS_BYTES = 256e6;

export async function spansOf(path: string, minNs: number): Promise<ThreadSpans[]> {
  const contents = await analyzeForPage([await openTraceFile(path)], {
    trees: 'apart',
    timelineBytes: ALL_CALLS_BYTES,
  });
  return nestedSpans(contents, minNs);
}

function nestedSpans({ profile, timeline }: PageContents, minNs: number): ThreadSpans[] {
  const { threads, symbols } = profile;
  const treeOf = new Map(threads.map(({ tid, tree }) => [tid, tree]));
  return (timeline?.threads ?? []).map(({ tid, spans }) => {
    const { symbol } = treeOf.get(tid) as CallTree;
    const found: Span[] = [];
    for (const { startNs, endNs, node } of spans.levels)
      for (let row = 0; row < node.length; row++) {
        const name = symbols.name[symbol[node[row]]] as string;
        if (endNs[row] - startNs[row] >= minNs) found.push({ name, startNs: startNs[row], endNs: endNs[row] });
      }
    return { tid, spans: withinCallers(found.sort((a, b) => a.startNs - b.startNs || b.endNs - a.endNs)) };
  });
}

/** A call ends when its caller does: formats of other tools have no other ends. */
function withinCallers(spans: readonly Span[]): Span[] {
  const open: Span[] = [];
  return spans.map((span) => {
    while (open.length > 0 && (open.at(-1) as Span).endNs <= span.startNs) open.pop();
    const nested = { ...span, endNs: Math.min(span.endNs, open.at(-1)?.endNs ?? span.endNs) };
    open.push(nested);
    return nested;
  });
}
