import type { CorrectedView, QuarantinedDetails } from '#contracts';
import type { Correction, DeadLetter } from '#intents';

import { isJson, maskedText, maskPersonal } from '../masking/mask-personal.js';

type ShownRecord = Pick<QuarantinedDetails, 'isReadable' | 'key' | 'headers' | 'value' | 'encoding'>;

/** Of a whole record batch nothing is shown: it was never taken apart. */
export function showBatch({ isUnreadable }: Pick<DeadLetter, 'isUnreadable'>): ShownRecord {
  return { isReadable: !isUnreadable, key: null, headers: '{}', value: null, encoding: 'batch' };
}

/** A record as it arrived, masked: what is no JSON may hold anything, and is not shown at all. */
export function showRecord({
  key,
  value,
  headersText,
  isUnreadable,
}: Pick<DeadLetter, 'key' | 'value' | 'headersText' | 'isUnreadable'>): ShownRecord {
  const text = value === null ? null : Buffer.from(value).toString('utf8');
  const isShown = text === null || isJson(text);
  return {
    isReadable: !isUnreadable,
    key: key === null ? null : Buffer.from(key).toString('utf8'),
    headers: maskPersonal(headersText) as string,
    value: isShown ? (maskPersonal(text) as string | null) : maskedText,
    encoding: isShown ? 'text' : 'masked',
  };
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
  // Below what is masked as a whole everything is.
  return { whole: isThere ? whole[name] : absent, masked: isNested(masked) ? masked[name] : masked };
}

function namesOf(...values: readonly unknown[]): string[] {
  return [...new Set(values.flatMap((value) => (isNested(value) ? Object.keys(value) : [])))];
}

function isComparable(one: unknown, other: unknown): boolean {
  return isNested(one) && isNested(other) && Array.isArray(one) === Array.isArray(other);
}

/** Depth is bounded by what is read as JSON at all. */
function* differences(path: string, from: MaskedPair, to: MaskedPair): Generator<Change> {
  if (Object.is(from.whole, to.whole)) return;
  if (isComparable(from.whole, to.whole)) {
    for (const name of namesOf(from.whole, to.whole)) {
      yield* differences(path === '' ? name : `${path}.${name}`, member(from, name), member(to, name));
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

type Content = Pick<DeadLetter, 'key' | 'value' | 'headersText' | 'isUnreadable'>;

const lost: CorrectedView = {
  ...{ isReadable: false, key: null, headers: '{}', value: null, encoding: 'text' },
  ...{ changes: [], hasMoreChanges: false },
};

function corrected(original: Content, { key, headersText, value }: Correction): Content {
  return {
    key: key === undefined ? original.key : Buffer.from(key),
    headersText: headersText ?? original.headersText,
    value: value === undefined ? original.value : Buffer.from(value),
    isUnreadable: original.isUnreadable && (headersText === undefined || value === undefined),
  };
}

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** What is compared, and what is shown of it. */
function documents(content: Content, shown: ShownRecord): { readonly whole: object; readonly masked: object } {
  const text = content.value === null ? null : Buffer.from(content.value).toString('utf8');
  const isMasked = shown.encoding === 'masked';
  return {
    whole: { key: shown.key, headers: parsed(content.headersText), value: isMasked ? text : parsed(text) },
    masked: {
      key: shown.key,
      headers: parsed(shown.headers),
      value: isMasked ? maskedText : parsed(shown.value),
    },
  };
}

/** What a record was taken for instead of what arrived, and in what it differs; what is personal is masked. */
export function showCorrected(original: Content, correction: Correction | 'lost'): CorrectedView {
  if (correction === 'lost') return lost;
  const content = corrected(original, correction);
  const shown = showRecord(content);
  const difference = changedPaths(documents(original, showRecord(original)), documents(content, shown));
  return { ...shown, ...difference };
}
