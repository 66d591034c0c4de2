import type { RunHistory } from '../history/run-history.js';
import type { Finding, Invariant } from './invariant.js';
import { ofTheRun } from './invariant.js';

/** Accusations told at most: a value in a log is in a thousand lines of it. */
const toldMax = 20;

/** I22: no secret or personal value in logs, metrics, read models, or in the clear in any table. */
export const nothingInTheClear: Invariant = {
  id: 'I22',
  checks:
    'none of the secrets and personal values that the run knows stands in what the history holds of tables, logs and metrics',
  cannotSee: 'values that the run does not name, spelled otherwise, or in places that it does not show',
  elsewhere: ['libs/intents/src/sealed-columns.int.spec.ts', 'test/e2e/roles.e2e.spec.ts'],
  judge: (run) => ({ end: () => judgeTexts(run) }),
};

function* judgeTexts({ clearTexts = [], secrets = [] }: RunHistory): Iterable<Finding> {
  if (secrets.length === 0) return;
  const any = new RegExp(secrets.map((secret) => secret.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'));
  let told = 0;
  for (const { where, text } of clearTexts) {
    if (!any.test(text)) continue;
    // The value itself would otherwise go on into a report.
    yield ofTheRun(`a secret or personal value stands in ${where}`, []);
    told += 1;
    if (told === toldMax) return;
  }
}
