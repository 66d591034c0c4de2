import { readFileSync } from 'node:fs';

/** One plain line from jest's JSON report, for whoever reads only the end of a log. */
const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`\nTests: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped`);
