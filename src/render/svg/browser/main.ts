/**
 * Starts the viewer, unless the SVG is embedded in another document.
 */
import { Viewer } from './svg-viewer.js';

if (document.documentElement instanceof SVGSVGElement) new Viewer().start();
