/**
 * Pictures of calls over time, on their own so that other output does not load them.
 */
export { callText, titleOfCalls } from './render/plot/call-texts.js';
export {
  type CallsPlot,
  DurationAxis,
  LABELLED,
  percentileText,
  shadeOf,
  shadesOf,
  shadeText,
  timeTicks,
} from './render/plot/calls-plot.js';
export { type CallsSvgOptions, renderCallsSvg } from './render/svg/calls/calls-svg.js';
