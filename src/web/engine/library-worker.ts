/**
 * The code of the library's workers in a browser.
 */
import { serveAsWorker } from './worker.js';

serveAsWorker();
