import type { IntentView } from '#contracts';
import type { ListedIntent } from '#intents';
import { intentId } from '#intents';
import { isoTime, isoTimeOrNull } from '../requests/iso-time.js';

/** An intent as the API shows it. */
export function toIntentView(intent: ListedIntent): IntentView {
  const {
    program,
    memberId,
    seq,
    operation,
    status,
    reason,
    code,
    fingerprint,
    since,
    recordedAt,
    occurredAt,
    eventType,
    source,
  } = intent;
  const { storeId, purchaseId, amountMinor, currency, topic, partition, offset } = intent;
  return {
    id: intentId({ program, memberId, seq }),
    ...{ program, memberId, seq, operation, status, reason, code, fingerprint },
    since: isoTimeOrNull(since),
    recordedAt: isoTime(recordedAt),
    occurredAt: isoTime(occurredAt),
    ...{ eventType, source, storeId, purchaseId },
    amount: amountMinor === null ? null : { minor: amountMinor, currency },
    cause: { topic, partition, offset },
  };
}
