/**
 * In the place of d3-transition: what d3-flame-graph would animate is done at once. A picture that was asked for is there, and
 * thousands of frames do not share the processor with as many animations.
 */
import { selection } from 'd3-selection';

const itself = function (this: unknown) {
  return this;
};

Object.assign(selection.prototype, { transition: itself, duration: itself, delay: itself, ease: itself });
