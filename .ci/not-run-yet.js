import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/**
 * Filter of jest: leaves out what the README's `npm test` has just run from the same commit (its JSON report: README_REPORT).
 * Run again is what had a test left out there, for want of a tool, and what speaks to the Kafka of the tests: here it is the
 * real one. No unit test has one; import rules keep Kafka out of these libraries, and the other folders never ask for it.
 */
const withoutKafka = new RegExp(
  [
    '\\.unit\\.spec\\.ts$',
    '^libs/(contracts|embedded|platform|gateway|events(?!/src/ingest)|members|purchases|rewards|intents|outbox|operations)/',
    '^apps/wallet-sandbox/',
    '^test/(bench|chart|contract|docs|project|schema)/',
    // These bring their own.
    '^test/e2e/(demo|migrations)\\.',
  ].join('|'),
);
const root = resolve(import.meta.dirname, '..');
const { testResults } = JSON.parse(readFileSync(process.env.README_REPORT, 'utf8'));

const isWhole = ({ status, assertionResults }) =>
  status === 'passed' && assertionResults.every((test) => test.status === 'passed');
/** The room's clone is named as the project. */
const pathOf = ({ name }) => name.slice(name.lastIndexOf('/loyaltyd/') + '/loyaltyd/'.length);
const done = new Set(
  testResults
    .filter(isWhole)
    .map(pathOf)
    .filter((path) => withoutKafka.test(path)),
);

const notRunYet = (paths) => ({ filtered: paths.filter((path) => !done.has(relative(root, path))) });
/** Jest requires its filter. */
export { notRunYet as 'module.exports' };
