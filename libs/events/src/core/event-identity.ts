import type { Program } from '#contracts';
import { visibleRule } from '#contracts';
import type { JsonValue } from '#intents/core';
import { canonicalJson } from '#intents/core';

import type { Mapped } from './event-values.js';
import { isAbsent, isScalar, valueAt } from './event-values.js';
import type { SourceEventFrame } from './source-event.js';

/** The value at each path; the first one that is missing is said, with the setting that asks for it. */
export function keyParts(
  data: object,
  paths: Program['purchaseKey'],
  setting: 'purchaseKey' | 'grantKey',
): Mapped<string[]> {
  const parts: string[] = [];
  for (const path of paths) {
    const part = keyPart(data, path);
    if (part === null) return { ok: false, detail: `data.${path.join('.')}: required by ${setting}` };
    const rule = visibleRule(part);
    if (rule !== '') return { ok: false, detail: `data.${path.join('.')}: ${rule}` };
    parts.push(part);
  }
  return { ok: true, value: parts };
}

/** A path of the program's key, with the thing's own number where `purchaseId` stands. */
export function withOwnNumber(path: readonly string[], ownNumber: string): readonly string[] {
  return path.length === 1 && path[0] === 'purchaseId' ? [ownNumber] : path;
}

export function keyPart(data: object, path: readonly string[]): string | null {
  const value = valueAt(data, path);
  return isAbsent(value) || !isScalar(value) ? null : String(value);
}

/**
 * The texts that are hashed into `dedup.key` and `dedup.body_mac` (contracts.md section 1, Identity). Each is a JSON
 * array that begins with its kind, so that no two different identities share a text.
 */

/** An event is (`source`, `id`). */
export function eventKeyText(event: Pick<SourceEventFrame, 'source' | 'id'>): string {
  return JSON.stringify(['event', event.source, event.id]);
}

/** The half of an event that a person decides about, where the other half was taken in by itself. */
export function decidedKeyText(event: Pick<SourceEventFrame, 'source' | 'id'>): string {
  return JSON.stringify(['decided', event.source, event.id]);
}

/**
 * What must be equal when the same event comes again: its type with what is judged of it, else with its subject and data.
 * Holds personal values.
 */
export function eventContentText(
  event: Pick<SourceEventFrame, 'type' | 'subject' | 'sentData'>,
  judged?: JsonValue,
): string {
  if (judged !== undefined) return canonicalJson([event.type, judged]);
  // As the canonical text of the three in a list.
  return `[${canonicalJson(event.type)},${canonicalJson(event.subject)},${sentDataText(event)}]`;
}

let lastText: { readonly of: unknown; readonly text: string } = { of: undefined, text: '' };

/**
 * What must be equal when a business key comes again under a new event id: the data as sent. Kept of the last event: it is
 * asked for once for the key and once for the event itself, and is the dearest text of all.
 */
export function sentDataText({ sentData }: Pick<SourceEventFrame, 'sentData'>): string {
  if (lastText.of !== sentData) lastText = { of: sentData, text: canonicalJson(sentData as JsonValue) };
  return lastText.text;
}
