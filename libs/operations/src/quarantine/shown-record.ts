import { isDeepStrictEqual } from 'node:util';

import type { CorrectedView, QuarantinedDetails, UnmaskedRecord } from '#contracts';
import { readJsonText } from '#contracts';
import type { Correction, DeadLetter } from '#intents';

import { maskedText, maskOf, shownName } from '../masking/mask-personal.js';
import type { KnownNames } from '../masking/shown-documents.js';
import { maskRecord } from '../masking/shown-documents.js';

interface ShownBatch {
  readonly isReadable: boolean;
  readonly key: null;
  readonly headers: string;
  readonly value: null;
  readonly encoding: 'batch';
}

type ShownRecord = Pick<QuarantinedDetails, 'isReadable' | 'key' | 'headers' | 'value' | 'encoding'>;

/** Of a whole record batch nothing is shown: it was never taken apart. */
export function showBatch({ isUnreadable }: Pick<DeadLetter, 'isUnreadable'>): ShownBatch {
  return { isReadable: !isUnreadable, key: null, headers: '{}', value: null, encoding: 'batch' };
}

type Content = Pick<DeadLetter, 'key' | 'value' | 'headersText' | 'isUnreadable'>;

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

/** A record as it arrived, masked: what is no JSON may hold anything, and is not shown at all. */
export function showRecord({ key, value, headersText, isUnreadable }: Content, names: KnownNames): ShownRecord {
  const shown = maskRecord({ headers: headersText, value: textOf(value) }, names);
  const keyText = textOf(key);
  return {
    isReadable: !isUnreadable,
    // Anything, unless it is the member's id, as it should be.
    key: keyText === null || keyText === shown.memberId ? keyText : maskedText,
    headers: shown.headers,
    value: shown.value,
    encoding: shown.value === maskedText ? 'masked' : 'text',
  };
}

/** The text of bytes; null where they are no UTF-8. */
function exactText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Everything of a record as it arrived, for the few who may see it. */
export function unmaskedRecord({ key, value, headersText, ...letter }: DeadLetter): Omit<UnmaskedRecord, 'id'> {
  if (letter.lastOffset !== null) return showBatch(letter);
  const shown = { isReadable: !letter.isUnreadable, key: textOf(key), headers: headersText };
  const text = value === null ? null : exactText(value);
  if (value === null || text !== null) return { ...shown, value: text, encoding: 'text' };
  return { ...shown, value: Buffer.from(value).toString('base64'), encoding: 'base64' };
}

type Change = CorrectedView['changes'][number];

/** Changes shown, at most. */
export const changesShownMax = 200;

/** Something, and what may be shown of it: of the same shape, as far as nothing of it is masked. */
interface MaskedPair {
  readonly whole: unknown;
  readonly masked: unknown;
}

const absent = Symbol('absent');

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function member({ whole, masked }: MaskedPair, name: string): MaskedPair {
  const isThere = isNested(whole) && Object.hasOwn(whole, name);
  // A name that is masked is not found, and its value is masked, too.
  const shown =
    isNested(masked) && Object.hasOwn(masked, name) ? masked[name] : isThere ? maskOf(whole[name]) : maskedText;
  return { whole: isThere ? whole[name] : absent, masked: shown };
}

function namesOf(...values: readonly unknown[]): string[] {
  return [...new Set(values.flatMap((value) => (isNested(value) ? Object.keys(value) : [])))];
}

/** Below what is masked as a whole not even names are shown. */
function isComparable(from: MaskedPair, to: MaskedPair): boolean {
  const isOpen = isNested(from.masked) && isNested(to.masked);
  return isOpen && Array.isArray(from.whole) === Array.isArray(to.whole);
}

/** Depth is bounded by what is read as JSON at all. */
function* differences(path: string, from: MaskedPair, to: MaskedPair): Generator<Change> {
  if (isDeepStrictEqual(from.whole, to.whole)) return;
  if (isComparable(from, to)) {
    for (const name of namesOf(from.whole, to.whole)) {
      yield* differences(path === '' ? name : `${path}.${shownName(name)}`, member(from, name), member(to, name));
    }
    return;
  }
  if (from.whole === absent) yield { path, change: 'added', from: null, to: to.masked };
  else if (to.whole === absent) yield { path, change: 'removed', from: from.masked, to: null };
  else yield { path, change: 'changed', from: from.masked, to: to.masked };
}

/** In what two things differ, path by path; shown is only what is masked. */
function changedPaths(from: MaskedPair, to: MaskedPair): Pick<CorrectedView, 'changes' | 'hasMoreChanges'> {
  const changes: Change[] = [];
  for (const change of differences('', from, to)) {
    if (changes.length === changesShownMax) return { changes, hasMoreChanges: true };
    changes.push(change);
  }
  return { changes, hasMoreChanges: false };
}

const lost: CorrectedView = {
  ...{ isReadable: false, key: null, headers: '{}', value: null, encoding: 'text' },
  ...{ changes: [], hasMoreChanges: false },
};

/** A record as a correction has it. */
export function correctedContent(original: Content, { key, headersText, value }: Correction): Content {
  return {
    key: key === undefined ? original.key : Buffer.from(key),
    headersText: headersText ?? original.headersText,
    value: value === undefined ? original.value : Buffer.from(value),
    isUnreadable: original.isUnreadable && (headersText === undefined || value === undefined),
  };
}

/** The text itself where it is no JSON, or nests too deep to be compared. */
function parsed(text: string | null): unknown {
  if (text === null) return null;
  const json = readJsonText(text);
  return json === undefined ? text : json;
}

/** What is compared, and what is shown of it. */
function documents(content: Content, shown: ShownRecord): { readonly whole: object; readonly masked: object } {
  const text = textOf(content.value);
  const isMasked = shown.encoding === 'masked';
  return {
    whole: { key: textOf(content.key), headers: parsed(content.headersText), value: isMasked ? text : parsed(text) },
    masked: {
      key: shown.key,
      headers: parsed(shown.headers),
      value: isMasked ? maskedText : parsed(shown.value),
    },
  };
}

/** What a record was taken for instead of what arrived, and in what it differs; what is personal is masked. */
export function showCorrected(original: Content, correction: Correction | 'lost', names: KnownNames): CorrectedView {
  if (correction === 'lost') return lost;
  const content = correctedContent(original, correction);
  const shown = showRecord(content, names);
  const difference = changedPaths(documents(original, showRecord(original, names)), documents(content, shown));
  return { ...shown, ...difference };
}
