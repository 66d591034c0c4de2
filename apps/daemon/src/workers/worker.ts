import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

import type { WorkerSeat } from './messages.js';

// Each thread turns the cache on for itself, before it loads anything.
const seat = workerData as WorkerSeat;
if (seat.compileCache !== undefined) enableCompileCache(seat.compileCache);
const { runWorker } = await import('./run-worker.js');

// It may end now even if a library still holds a timer, as the process may.
process.exit(await runWorker(seat));
