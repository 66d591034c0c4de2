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

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** A list that has lost an item, or got one, would give those behind it the values of others. */
const isOtherList = (arrived: unknown, value: object): boolean =>
  Array.isArray(value) && !(Array.isArray(arrived) && arrived.length === value.length);

/** Where dots stand in a draft for nothing that arrived at the same place. */
function strayDots(arrived: unknown, draft: unknown, path = ''): readonly string[] {
  if (typeof draft === 'string') return isMasked(draft) && draft !== arrived ? [path] : [];
  if (typeof draft !== 'object' || draft === null) return [];
  const isOther = isOtherList(arrived, draft);
  return Object.entries(draft).flatMap(([name, value]) =>
    strayDots(isOther ? undefined : memberOf(arrived, name), value, join(path, name)),
  );
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

const pathsSaid = 3;

function whyStray(before: Draft, draft: Draft): string | null {
  const parts = [
    ...strayDots(parseJson(before.value), parseJson(draft.value)),
    ...strayDots(parseJson(before.headers), parseJson(draft.headers), 'header'),
  ];
  if (parts.length === 0) return null;
  const more = parts.length > pathsSaid ? ` and ${parts.length - pathsSaid} more` : '';
  return `Dots (•••) keep what arrived at the same place of the record, and there is none at ${parts.slice(0, pathsSaid).join(', ')}${more}. Say the value.`;
}

function whyUnusable(before: Draft, draft: Draft, isChanged: Readonly<Record<keyof Draft, boolean>>): string | null {
  const valueFlaw = isChanged.value ? whyNoJson(draft.value) : null;
  if (valueFlaw !== null) return `The value ${valueFlaw}.`;
  const headersFlaw = isChanged.headers ? whyNoJson(draft.headers) : null;
  if (headersFlaw !== null) return `The headers: what is there ${headersFlaw}.`;
  if (isChanged.headers && !isTexts(parseJson(draft.headers))) return 'Each header must be a text.';
  return whyStray(before, draft);
}

const comparable = (record: Pick<Arrived, 'headers' | 'value'>): unknown =>
  decodeRecord(record)?.event ?? { headers: parseJson(record.headers), value: parseJson(record.value) };

/** Whether a draft can be sent, and what of the record it changes. */
export function judgeDraft(arrived: Arrived, draft: Draft): Drafted {
  const before = draftOf(arrived);
  const isChanged = { value: draft.value !== before.value, headers: draft.headers !== before.headers };
  if (!isChanged.value && !isChanged.headers) return { state: 'unchanged' };
  const why = whyUnusable(before, draft, isChanged);
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
