/**
 * The code of the library's workers in a browser.
 */
import { serveAsWorker } from '../engine/worker.js';

serveAsWorker();
