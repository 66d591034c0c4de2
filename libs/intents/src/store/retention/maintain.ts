import type { Clock, Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { requireOwner } from '../roles/application-role.js';
import type { DealtWith } from './drop-expired.js';
import { clearUnmapped, dropDealtWith, forgetAnonymous, forgetErased, forgetIdentities } from './drop-expired.js';
import { retireActions } from './retire-actions.js';
import type { RetentionPolicy } from './retention-policy.js';
import { dayMs } from './retention-policy.js';
import type { Retired } from './retire-intents.js';
import { findReadPosition, nothingRetired, retireIntents } from './retire-intents.js';

/** What a run came to. */
export interface MaintenanceReport extends Retired, DealtWith {
  readonly identities: number;
  /** Records set aside before they were mapped, whose bytes are gone. */
  readonly unmapped: number;
  /** Sales without a card. */
  readonly anonymous: number;
  /** Erased members whom nobody can recognise any more. */
  readonly erased: number;
  /** Of the audit. */
  readonly actions: number;
}

export interface MaintenanceTools {
  /** As the owner of the tables: nobody else may delete what was recorded. */
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
  /** Aborted when the process is to end: the next run does the rest. */
  readonly signal?: AbortSignal;
}

const endedStatement: SqlStatement = {
  name: 'end_maintenance',
  text: 'UPDATE maintenance_run SET ended_at = $1::timestamptz, report = $2::jsonb',
};

/**
 * Lets leave what the policy says, in small transactions: it may be ended at any moment, or run twice at once.
 * Identities go before intents: a cancelled intent stays until nothing refers to it any more. The audit of what has left
 * goes last.
 * @throws {NotOwnerError | DatabaseError}
 */
export async function maintain(tools: MaintenanceTools, policy: RetentionPolicy): Promise<MaintenanceReport> {
  const { database, clock, signal } = tools;
  const { intentDays, dedupDays, erasedDays } = policy;
  await database.transaction('require_owner', (session) => requireOwner(session, 'let anything leave them'));
  const forgotten = { before: clock.now() - dedupDays * dayMs, withCancelled: intentDays > 0 };
  const identities = dedupDays > 0 ? await forgetIdentities(database, forgotten, signal) : 0;
  const anonymous = await forgetAnonymous(database, clock.now(), signal);
  const erasedBefore = clock.now() - erasedDays * dayMs;
  const erased = erasedDays > 0 ? await forgetErased(database, erasedBefore, signal) : 0;
  const retired = intentDays > 0 ? await retire(tools, intentDays, false) : nothingRetired;
  const unmapped = await clearUnmapped(tools, policy);
  const dealtWith = await dropDealtWith(tools, policy);
  const report = {
    ...retired,
    identities,
    unmapped,
    anonymous,
    erased,
    ...dealtWith,
    actions: await retireAudit(tools, policy.auditDays, false),
  };
  if (signal?.aborted !== true) {
    await database.execute(endedStatement, [timestamp(clock.now()), JSON.stringify(report)]);
  }
  return report;
}

async function retire({ database, clock, signal }: MaintenanceTools, days: number, isPlan: boolean): Promise<Retired> {
  const limits = { before: clock.now() - days * dayMs, upTo: await findReadPosition(database) };
  return retireIntents(database, limits, { isPlan, signal });
}

async function retireAudit(
  { database, clock, signal }: MaintenanceTools,
  days: number,
  isPlan: boolean,
): Promise<number> {
  return days > 0 ? retireActions(database, clock.now() - days * dayMs, { isPlan, signal }) : 0;
}

/** What would leave now: intents, and the audit of what has left already. Changes nothing. */
export async function planMaintenance(
  tools: MaintenanceTools,
  { intentDays, auditDays }: Pick<RetentionPolicy, 'intentDays' | 'auditDays'>,
): Promise<Retired & Pick<MaintenanceReport, 'actions'>> {
  const retired = intentDays > 0 ? await retire(tools, intentDays, true) : nothingRetired;
  return { ...retired, actions: await retireAudit(tools, auditDays, true) };
}

const lastStatement: SqlStatement = {
  name: 'last_maintenance',
  text: 'SELECT ended_at AS "endedAt" FROM maintenance_run',
};

/** When maintenance was last carried out whole, epoch ms; of a database where it never was, when that was set up. */
export async function lastMaintenance(database: Pick<Database, 'execute'>): Promise<number> {
  return (await database.execute<{ endedAt: number }>(lastStatement)).rows[0]?.endedAt ?? 0;
}
