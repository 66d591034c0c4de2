import { runCommandLine } from './command-line/program.js';

// The process may end now even if a library still holds a timer: a command that resolves has finished its work.
process.exit(await runCommandLine(process.argv.slice(2)));
