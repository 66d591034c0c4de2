import { runDaemon } from './run-daemon.js';

// The process may end now even if a library still holds a timer: everything that counts has been drained and closed.
process.exit(await runDaemon(process.env));
