import { readFileSync } from 'node:fs';

/** What failed, and one plain line of counts, from jest's JSON report: for whoever reads only the end of a log. */
const [, , step, path] = process.argv;
const report = JSON.parse(readFileSync(path, 'utf8'));
for (const { name, message, assertionResults } of report.testResults.filter(({ status }) => status === 'failed')) {
  const failed = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  console.log(`failed: ${name}\n${(failed.length > 0 ? failed : [message]).map((text) => `  ${text}`).join('\n')}`);
}
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`\nTests (${step}): ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped`);
