import { createHash } from 'node:crypto';

import type { ExportLine } from '#contracts';
import { scriptsOf } from '#contracts';
import { intentId } from '#intents';
import type { Clock } from '#platform';

import { shownRecord } from '../../../intents/intent-view.js';
import { toMoneyView } from '../../../intents/money-view.js';
import { mask } from '../../../masking/mask-personal.js';
import type { KnownNames } from '../../../masking/shown-documents.js';
import { commandShape, evidenceShape, shownParts } from '../../../masking/shown-documents.js';
import { isoTime } from '../../../requests/read-request.js';
import type { ExportedEvent, ExportedFact, ExportedIntent, ExportExtent, ExportPosition } from './export-repository.js';
import { type ExportRepository, exportStart } from './export-repository.js';

/** Where a line of an export stands. The order of the properties is part of its text, and so of the digest. */
function placeOf({ version, position, isErased: erased }: ExportedFact) {
  return { version, position, erased };
}

/** Of the program alone, and of no programs file: lines that are read again after a change of it are the same. */
function namesOf({ program }: ExportedIntent): KnownNames {
  return { programs: new Set([program]), tiers: new Set(), rewards: new Set() };
}

function shownSource(intent: ExportedIntent): ExportedIntent['sourceRecord'] {
  const { sourceRecord } = intent;
  return sourceRecord === null ? null : shownRecord(sourceRecord, namesOf(intent));
}

function intentLine(intent: ExportedIntent, isMasked: boolean): ExportLine {
  const { program, memberId, seq, operation, eventType, source, storeId, purchaseId, amount, currency } = intent;
  const { waitsForSeq, topic, partition, offset, programsHash, command, sourceRecord } = intent;
  return {
    kind: 'intent',
    id: intentId(intent),
    ...{ program, memberId, ...scriptsOf(program, memberId, storeId, purchaseId, source), seq },
    ...placeOf(intent),
    recordedAt: isoTime(intent.recordedAt),
    occurredAt: isoTime(intent.occurredAt),
    brokerAt: isoTime(intent.brokerAt),
    ...{ operation, eventType, source, storeId, purchaseId },
    amount: amount === null || currency === null ? null : toMoneyView(amount, currency),
    waitsForSeq,
    cause: { topic, partition, offset },
    programsHash: programsHash.toString('hex'),
    command: isMasked ? mask(shownParts(command), commandShape) : command,
    sourceRecord: isMasked ? shownSource(intent) : sourceRecord,
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
    evidence: isMasked ? mask(evidence, evidenceShape) : evidence,
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

/** A page ends when it is this large or has taken this long, full or not: its caller must not wait, and memory is bounded. */
const pageTextMax = 8 * 1_048_576;
const pageMsMax = 1_000;

interface ExportPageRequest {
  readonly extent: ExportExtent;
  /** Where the page before ended; null for the first. */
  readonly after: ExportPosition | null;
  readonly limit: number;
  readonly isMasked: boolean;
}

interface ExportPage {
  readonly lines: readonly ExportLine[];
  readonly texts: readonly string[];
  readonly next: ExportPosition | null;
}

/** One page of an export's lines. */
export async function readExportPage(
  { exports, clock }: { readonly exports: ExportRepository; readonly clock: Clock },
  { extent, after, limit, isMasked }: ExportPageRequest,
): Promise<ExportPage> {
  const endsAt = clock.monotonic() + pageMsMax;
  const lines: ExportLine[] = [];
  const texts: string[] = [];
  let next: ExportPosition | null = after ?? exportStart(extent);
  let size = 0;
  while (next !== null && lines.length < limit && size < pageTextMax) {
    const look = await exports.read({ extent, after: next, limit: limit - lines.length });
    for (const fact of look.facts) {
      const line = toExportLine(fact, isMasked);
      const text = textOf(line);
      lines.push(line);
      texts.push(text);
      size += text.length;
    }
    ({ next } = look);
    if (clock.monotonic() > endsAt) break;
  }
  return { lines, texts, next };
}

/** Of an export without lines. */
export const emptyDigest = '';

/**
 * The digest of all lines so far and one more: SHA-256 over the digest before (its bytes) and the line with its line
 * feed. A chain, so that it can be carried on by another process from what was stored.
 * @param digest hexadecimal
 */
export function digestWith(digest: string, line: string): string {
  return createHash('sha256').update(digest, 'hex').update(line).update('\n').digest('hex');
}
