/**
 * Where the script begins. In a page that holds the picture as a part of it, it stays as it is.
 */
import { Viewer } from './viewer.js';

if (document.documentElement instanceof SVGSVGElement) new Viewer().start();
