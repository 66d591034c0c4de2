import type { CorrectedSale, IntentState, Receipt, RoutedIntent } from '#intents/core';
import { changedBy, changeOf, decideCorrecting, sumOf } from '#intents/core';
import type { SqlSession } from '#platform';

import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers, loadIntentState, releaseAside } from '../lanes/locked-lane.js';
import { findSaleChanges } from '../lanes/receipt-account.js';
import { loadCommands } from '../operator/load-commands.js';
import type { SalePlace } from './known-sales.js';
import type { PlacedIntent } from './place-intents.js';

/** What was told of a sale since, whatever of that is sent. */
interface ToldOfSale {
  /** Its total by now, without a sign; null: not known any more. */
  readonly total: string | null;
  /** It was taken back whole, too late to cancel it. */
  readonly isVoided: boolean;
}

/** The sale's lane is locked. */
async function toldOfSale(session: SqlSession, sale: SalePlace, keys: MemberKeys): Promise<ToldOfSale> {
  const [loaded] = await loadCommands(within(session), [sale], keys);
  const { changed, isVoided } = await findSaleChanges(session, sale);
  const command = loaded?.current.kind === 'command' ? loaded.current.command : null;
  if (command?.operation !== 'transaction') return { total: null, isVoided };
  return { total: sumOf([command.amount.replace('-', ''), changed]), isVoided };
}

/** Of what was taken back nothing is corrected. */
function stands(state: IntentState, isUntouched: boolean): CorrectedSale['is'] {
  if (state.status === 'cancelled' || (state.status !== 'absent' && state.cancelRequest !== null)) return 'taken-back';
  return isUntouched ? 'untouched' : 'sent';
}

/**
 * A correction as it is recorded: its sale says it itself, or it goes behind that, by the difference, or it is for a person. The
 * sale's lane is locked.
 */
export async function decidedCorrection(
  session: SqlSession,
  { intent, sale, receipt }: { readonly intent: RoutedIntent; readonly sale: SalePlace; readonly receipt: Receipt },
  keys: MemberKeys,
): Promise<RoutedIntent> {
  const { corrects } = intent;
  if (corrects === undefined) return intent;
  const { state, isUntouched } = await loadIntentState(session, sale);
  const { total, isVoided } = await toldOfSale(session, sale, keys);
  const is = isVoided ? 'taken-back' : stands(state, isUntouched);
  const decision = decideCorrecting({ receipt, total, is }, corrects);
  switch (decision.kind) {
    case 'conflict':
    case 'over-refund':
      return { ...intent, parked: { reason: decision.kind, detail: decision.detail } };
    case 'replace':
      return { ...intent, parked: null, inSale: { laneId: sale.laneId, seq: sale.seq } };
    case 'differ':
      return isOpen(state) && intent.command === null ? { ...intent, parked: null } : intent;
  }
}

/** What no call can carry waits for the outcome of its sale: perhaps there is nothing to correct. */
const isOpen = ({ status }: IntentState): boolean => !['absent', 'delivered', 'parked'].includes(status);

/** Lets sales of which nothing has left say what they were corrected to: nothing else is sent of that. Their lanes are locked. */
export async function carryOutCorrections(
  session: SqlSession,
  { placed, now: at }: { readonly placed: readonly PlacedIntent[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  for (const { laneId, seq, key, intent } of placed) {
    const { inSale, corrects, parked } = intent;
    if (inSale === undefined || corrects === undefined || parked !== null) continue;
    const [loaded] = await loadCommands(within(session), [inSale], keys);
    const current = loaded?.current.kind === 'command' ? loaded.current.command : null;
    const command = changedBy(current, changeOf(corrects));
    // Then it goes behind the sale, as of one that was sent.
    if (command === null) continue;
    const by = { at, by: 'source-event', reason: 'corrected' } as const;
    const event = { type: 'IntentCorrected', ...by, amount: command.amount.replace('-', '') } as const;
    const evidence = JSON.stringify({ command });
    await appendByOthers(session, { ...inSale, event, evidence, settles: false }, keys);
    const cancelled = { type: 'IntentCancelled', ...by } as const;
    await appendByOthers(session, { laneId, seq, key, event: cancelled, evidence: null, settles: true }, keys);
    await releaseAside(session, { place: { laneId, seq }, isCancelled: false, now: at }, keys);
  }
}
