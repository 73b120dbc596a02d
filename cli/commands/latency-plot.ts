/**
 * Plots when the calls of a function were: in the terminal, or as SVG files.
 */

import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { Latency } from '../../src/questions/schema.js';
import type { LatencyOptions } from '../options/questions/latency.js';
import { isStandardOutput } from '../output/outputs.js';

export interface CallsPicture {
  lines(width: number): string[];
  svg(profile: Profile): Iterable<string>;
}

type PlotOptions = Pick<LatencyOptions, 'timeline' | 'heatmap' | 'output' | 'json' | 'function'>;

/** Returns true if a plot or its data were requested. */
export function wantsPlot({ timeline, heatmap }: PlotOptions): boolean {
  return timeline || heatmap;
}

/** @throws PtflameError BAD_OPTION for options that contradict each other, and for files that are not SVG */
export function refusePlots(options: PlotOptions): void {
  const { timeline, heatmap, output = [], json } = options;
  if (timeline && heatmap)
    throw new PtflameError('BAD_OPTION', '--timeline and --heatmap are mutually exclusive', { hint: 'leave one out' });
  const picture = output.find((path) => path.toLowerCase().endsWith('.svg'));
  if (picture !== undefined && !wantsPlot(options))
    throw new PtflameError('BAD_OPTION', `-o ${picture} is for a plot, but none is requested`, {
      hint: 'add --timeline or --heatmap; tables are written to .txt, .csv and .json',
    });
  if (json && output.some(isStandardOutput))
    throw new PtflameError('BAD_OPTION', '--json and -o - both write to standard output', { hint: 'use -o FILE.svg' });
}

/** `bounds`: "calls of 1 ms or more"; null: all calls. Returns null if no plot is requested. */
export async function loadPlot(
  answer: Latency,
  options: PlotOptions,
  bounds: string | null,
): Promise<CallsPicture | null> {
  if (!wantsPlot(options)) return null;
  const [{ plotOf }, { plotLines }, { renderCallsSvg }] = await Promise.all([
    import('../answers/calls/plot-of.js'),
    import('../answers/calls/plot-lines.js'),
    import('../../src/render/plot/calls-svg.js'),
  ]);
  const plot = plotOf(answer);
  if (plot === null) return null;
  const [only, ...others] = answer.functions;
  const name = only !== undefined && others.length === 0 ? only.name : options.function;
  const isHeatMap = options.heatmap || plot.callsLeftOut > 0;
  return {
    lines: (width) => plotLines(plot, { name, bounds, isHeatMap, width }),
    svg: (profile) => renderCallsSvg(profile, plot, { name, bounds, isHeatMap }),
  };
}
