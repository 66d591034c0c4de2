import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

import type { WorkerSeat } from './messages.js';

// Each thread turns the cache on for itself, before it loads anything.
const { number, compileCache } = workerData as WorkerSeat;
if (compileCache !== undefined) enableCompileCache(compileCache);
const { runWorker } = await import('./run-worker.js');

// It may end now even if a library still holds a timer, as the process may.
process.exit(await runWorker(number));
