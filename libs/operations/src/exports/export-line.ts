import type { ExportLine } from '#contracts';
import type { ExportedEvent, ExportedFact, ExportedIntent } from '#intents';
import { intentId } from '#intents';

import { maskEvidence, maskPersonal } from '../masking/mask-personal.js';
import { isoTime } from '../requests/iso-time.js';

/** Where a line of an export stands. The order of the properties is part of its text, and so of the digest. */
function placeOf({ version, position, isErased: erased }: ExportedFact) {
  return { version, position, erased };
}

function intentLine(intent: ExportedIntent, isMasked: boolean): ExportLine {
  const { program, memberId, seq, operation, eventType, source, storeId, purchaseId, amountMinor, currency } = intent;
  const { waitsForSeq, topic, partition, offset, programsHash, command, sourceRecord } = intent;
  return {
    kind: 'intent',
    id: intentId(intent),
    ...{ program, memberId, seq },
    ...placeOf(intent),
    recordedAt: isoTime(intent.recordedAt),
    occurredAt: isoTime(intent.occurredAt),
    brokerAt: isoTime(intent.brokerAt),
    ...{ operation, eventType, source, storeId, purchaseId },
    amount: amountMinor === null ? null : { minor: amountMinor, currency },
    waitsForSeq,
    cause: { topic, partition, offset },
    programsHash: programsHash.toString('hex'),
    command: isMasked ? maskPersonal(command) : command,
    sourceRecord: isMasked ? (maskPersonal(sourceRecord) as typeof sourceRecord) : sourceRecord,
  };
}

function eventLine(event: ExportedEvent, isMasked: boolean): ExportLine {
  const { type, at, attempt, data, evidence } = event;
  return {
    kind: 'event',
    intent: intentId(event),
    ...placeOf(event),
    type,
    at: isoTime(at),
    attempt: attempt === 0 ? null : attempt,
    data,
    evidence: isMasked && evidence !== null ? maskEvidence(evidence) : evidence,
  };
}

/** A line of an export. */
export function toExportLine(fact: ExportedFact, isMasked: boolean): ExportLine {
  return fact.kind === 'intent' ? intentLine(fact, isMasked) : eventLine(fact, isMasked);
}

/** As it stands in the file, without the line feed. */
export function textOf(line: ExportLine): string {
  return JSON.stringify(line);
}
