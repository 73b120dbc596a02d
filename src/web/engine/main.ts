/**
 * The code of the engine and of its workers, which are told apart by their names: each runs only its own.
 */
import { workerId } from '../../host/browser/threads.js';

void (workerId === 0 ? import('./engine.js') : import('./worker.js'));
