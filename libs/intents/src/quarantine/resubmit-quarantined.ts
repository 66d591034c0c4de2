import type { QuarantineReason } from '#domain';
import type { Database } from '#platform';
import { DatabaseError } from '#platform';

import { describeDatabaseFailure, isContentFailure, repeatRaces } from '../batch/recording-transaction.js';
import type { ResubmitOutcome, ResubmitRequest, ResubmitTools } from './resubmit-transaction.js';
import { ResubmitTransaction } from './resubmit-transaction.js';
import { StillRefusedError } from './still-refused-error.js';

/**
 * What came of it. All but `done` leave everything as it was. `settled`: somebody has dealt with it already. `lost`: no
 * key opens its bytes any more. `other-cell`: another deployment takes its member. `batch`: it is a whole
 * record batch that was never taken apart. `refused`: it would be set aside again.
 */
export type ResubmitResult =
  ResubmitOutcome | { readonly kind: 'refused'; readonly reason: QuarantineReason; readonly detail: string };

function refusalOf(error: unknown): ResubmitResult | null {
  if (error instanceof StillRefusedError) return { kind: 'refused', reason: error.reason, detail: error.detail };
  if (!(error instanceof DatabaseError) || !isContentFailure(error)) return null;
  return { kind: 'refused', reason: 'invalid', detail: describeDatabaseFailure(error) };
}

/**
 * Takes in a record that was set aside, corrected or as it is, exactly as ingest would if it came now: it is decoded,
 * identified, routed and recorded in one transaction with its mark and its trace. No offset moves; where the record lay
 * stays the cause of what it becomes. What the producer or anybody else has sent in the meantime is recognised as the same.
 * @throws {DatabaseError} when nothing is known to be recorded
 */
export async function resubmitQuarantined(
  database: Database,
  request: ResubmitRequest,
  tools: ResubmitTools,
): Promise<ResubmitResult> {
  try {
    return await repeatRaces((isPessimistic) => {
      const transaction = new ResubmitTransaction(request, tools, isPessimistic);
      return database.transaction('resubmit_quarantined', (session) => transaction.run(session));
    });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  }
}
