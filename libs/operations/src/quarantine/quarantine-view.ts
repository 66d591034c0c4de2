import type { QuarantinedView } from '#contracts';
import type { BrowsedRecord, Settlement } from '#intents';
import { intentId } from '#intents';

import { isoTime } from '../requests/iso-time.js';

function toSettlementView(settlement: Settlement): NonNullable<QuarantinedView['settled']> {
  const { at, actor: by, reason: why, result, ignoredReason: reason, intent } = settlement;
  return { at: isoTime(at), by, why, result, reason, intent: intent === null ? null : intentId(intent) };
}

/** A record set aside as the API shows it. */
export function toQuarantinedView(record: BrowsedRecord): QuarantinedView {
  const { quarantineId: id, state, reason, detail, topic, partition, offset, lastOffset, settlement } = record;
  const bytes = record.valueBytes;
  const producedAt = isoTime(record.brokerAt);
  const recordedAt = isoTime(record.recordedAt);
  const settled = settlement === null ? null : toSettlementView(settlement);
  const place = { topic, partition, offset, lastOffset };
  return { id, state, reason, detail, ...place, bytes, producedAt, recordedAt, settled };
}
