import type { RecoveryStatus } from '#intents';
import { findRecovery } from '#intents';

import type { Examination, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { ok, warning } from '../finding.js';
import { readMs } from '../limits.js';
import type { Store } from '../postgres/check-schema.js';

const name = 'installation.recovery';

/** Whether a restore has left something that nobody has decided yet. */
export function judgeRecovery(recovery: RecoveryStatus | null): Finding {
  if (recovery === null) return ok(name, 'the database was never restored, as far as we were told');
  const { open, undecided } = recovery;
  const [from, since] = [recovery.recoveredFrom, recovery.startedAt].map((time) => new Date(time).toISOString());
  const text = `restored to ${from}, at work again since ${since}`;
  if (open + undecided === 0) return ok(name, `${text}; nothing of what was forgotten is in doubt so far`);
  const detail = `${text}; ${undecided} intents may have been sent before and wait for a person, of ${open} evidence is looked for`;
  const remedy =
    'Look at the partner, then say what became of each: `loyaltyd get intents --query "status=parked reason=unknown-outcome"`, ' +
    '`loyaltyd resolve intent ID --as delivered|not-delivered`. docs/restore.md has the steps.';
  return warning(name, { detail, remedy });
}

/** The last restore that was told by `start --recovered-from`. */
export function checkRecovery(examination: Examination, store: Step<Store>): void {
  const remedy = 'Postgres answers slowly: see pg_stat_activity for locks and long queries.';
  examination.after(store, { name, timeoutMs: readMs, remedy }, async ({ database }) => ({
    findings: [judgeRecovery(await findRecovery(database))],
    value: null,
  }));
}
