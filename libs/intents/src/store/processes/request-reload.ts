import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import { addProgramsLoad, type TakenPrograms } from './programs-loads.js';

const statement: SqlStatement = {
  name: 'request_reload',
  text: `INSERT INTO programs_reload (at, programs_hash) VALUES ($1::timestamptz, decode($2, 'hex'))`,
};

/** What was read, and whether it differs from what this process worked by. */
export interface ReloadedPrograms {
  /** Hex. */
  readonly hash: string;
  readonly changed: boolean;
}

/** A person has the programs file read again: leaves a trace, and every process follows with its next report. */
export async function requestReload(
  database: Database,
  { loaded, taken }: { readonly loaded: ReloadedPrograms; readonly taken: TakenPrograms },
  audit: AuditContext,
): Promise<void> {
  await database.transaction('request_reload', async (session) => {
    await session.query(statement, [timestamp(audit.at), loaded.hash]);
    if (loaded.changed) await addProgramsLoad(session, taken, audit);
    await recordAction(session, { audit, action: 'programs.reload', place: null, detail: { ...loaded } });
  });
}
