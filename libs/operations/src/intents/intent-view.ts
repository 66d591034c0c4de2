import type { IntentView } from '#contracts';
import type { ListedIntent } from '#intents';
import { intentId } from '#intents';

function time(atMs: number): string {
  return new Date(atMs).toISOString();
}

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
    since: since === null ? null : time(since),
    recordedAt: time(recordedAt),
    occurredAt: time(occurredAt),
    ...{ eventType, source, storeId, purchaseId },
    amount: amountMinor === null ? null : { minor: amountMinor, currency },
    cause: { topic, partition, offset },
  };
}
