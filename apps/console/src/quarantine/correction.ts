import { isMasked } from '../components/mask.js';
import { type RecordChange, recordChanges } from './record-changes.js';
import { decodeRecord, isJsonObject, parseJson, prettyText } from './record-content.js';

/** The texts in the editor. */
export interface Draft {
  readonly value: string;
  readonly headers: string;
}

interface Arrived {
  readonly headers: string;
  readonly value: string | null;
  readonly encoding: 'text' | 'masked' | 'batch';
}

interface Correction {
  readonly value?: string;
  readonly headers?: Record<string, string>;
}

export type Drafted =
  | { readonly state: 'unchanged' }
  | { readonly state: 'unusable'; readonly why: string }
  | {
      readonly state: 'changed';
      /** What is sent: only the parts that differ. */
      readonly corrected: Correction;
      readonly changes: readonly RecordChange[];
    };

/** What is no JSON is not shown: it begins empty. */
export function draftOf({ headers, value, encoding }: Arrived): Draft {
  return { headers: prettyText(headers), value: encoding === 'text' ? prettyText(value) : '' };
}

/** Where a JSON text holds what is masked: to be filled in before it can be sent. */
export function maskedPaths(text: string): readonly string[] {
  const walk = (value: unknown, path: string): readonly string[] => {
    if (typeof value === 'string') return isMasked(value) ? [path] : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => walk(inner, path === '' ? name : `${path}.${name}`));
  };
  return walk(parseJson(text), '');
}

function lineOf(text: string, error: unknown): string {
  const at = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  return at === undefined ? '' : ` (line ${text.slice(0, Number(at)).split('\n').length})`;
}

function whyNoJson(text: string): string | null {
  try {
    return isJsonObject(JSON.parse(text)) ? null : 'must be an object';
  } catch (error) {
    return `is no JSON${lineOf(text, error)}`;
  }
}

const isTexts = (value: unknown): value is Record<string, string> =>
  isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');

function whyUnusable(draft: Draft, isChanged: Readonly<Record<keyof Draft, boolean>>): string | null {
  const valueFlaw = isChanged.value ? whyNoJson(draft.value) : null;
  if (valueFlaw !== null) return `The value ${valueFlaw}.`;
  const headersFlaw = isChanged.headers ? whyNoJson(draft.headers) : null;
  if (headersFlaw !== null) return `The headers: what is there ${headersFlaw}.`;
  if (isChanged.headers && !isTexts(parseJson(draft.headers))) return 'Each header must be a text.';
  const sent = [isChanged.value ? draft.value : '', isChanged.headers ? draft.headers : ''];
  if (sent.some(isMasked)) {
    return 'A part that you correct replaces the whole part that arrived. Fill in what is masked (•••): dots would be sent as they stand.';
  }
  return null;
}

const comparable = (record: Pick<Arrived, 'headers' | 'value'>): unknown =>
  decodeRecord(record)?.event ?? { headers: parseJson(record.headers), value: parseJson(record.value) };

/** Whether a draft can be sent, and what of the record it changes. */
export function judgeDraft(arrived: Arrived, draft: Draft): Drafted {
  const before = draftOf(arrived);
  const isChanged = { value: draft.value !== before.value, headers: draft.headers !== before.headers };
  if (!isChanged.value && !isChanged.headers) return { state: 'unchanged' };
  const why = whyUnusable(draft, isChanged);
  if (why !== null) return { state: 'unusable', why };
  const changes = recordChanges(
    comparable({ headers: before.headers, value: before.value }),
    comparable({ headers: draft.headers, value: draft.value }),
  );
  const corrected = {
    // As text: a number beyond 2^53 keeps its digits.
    ...(isChanged.value ? { value: draft.value } : {}),
    ...(isChanged.headers ? { headers: parseJson(draft.headers) as Record<string, string> } : {}),
  };
  return { state: 'changed', corrected, changes };
}
