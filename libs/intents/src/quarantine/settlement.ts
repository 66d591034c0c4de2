import type { IgnoredReason } from '#domain';

import type { IntentName } from '../operator/find-intent.js';

/** How a record stands that was set aside. */
export type QuarantineState = 'open' | 'resubmitted' | 'discarded';

/** What came of a record that somebody dealt with. `duplicate`: the same had been recorded already. */
export type SettlementResult = 'recorded' | 'duplicate' | 'ignored' | 'discarded';

/** Who dealt with a record, why, and what came of it. */
export interface Settlement {
  /** Epoch ms. */
  readonly at: number;
  readonly actor: string;
  readonly reason: string;
  readonly result: SettlementResult;
  /** Why no new intent came of it. */
  readonly ignoredReason: IgnoredReason | null;
  /** The intent it became, or had become already. */
  readonly intent: IntentName | null;
}
