import type { Answer, Query } from '../api/api-types.js';
import type { SearchTexts } from '../shell/search-texts.js';

export type QuarantinedRecord = Answer<'/quarantine'>['items'][number];
type ListQuery = Query<'/quarantine'>;
export type RecordState = QuarantinedRecord['state'];

export const recordStates: readonly RecordState[] = ['open', 'resubmitted', 'discarded'];

/** What actions on many take, beside the state: they are for open ones only. */
export type ManyQuery = Pick<ListQuery, 'reason' | 'detail' | 'topic' | 'from' | 'to'>;
const manyNames = ['reason', 'detail', 'topic', 'from', 'to'] as const;

export function manyQueryOf(texts: SearchTexts): ManyQuery {
  return Object.fromEntries(manyNames.flatMap((name) => (texts[name] === undefined ? [] : [[name, texts[name]]])));
}

export function stateOf(texts: SearchTexts): RecordState {
  return recordStates.find((state) => state === texts.state) ?? 'open';
}

export function listQueryOf(texts: SearchTexts): ListQuery {
  return { ...manyQueryOf(texts), state: stateOf(texts) };
}

/** A filter in words, such as `reason invalid, topic loyalty.purchases`; null where it takes everything. */
export function filterWords(query: ManyQuery): string | null {
  const words = manyNames.flatMap((name) => (query[name] === undefined ? [] : [`${name} ${query[name]}`]));
  return words.length === 0 ? null : words.join(', ');
}

/** `loyalty.purchases/3@120`, or `@120-140` of a whole record batch. */
export function placeText({ topic, partition, offset, lastOffset }: QuarantinedRecord): string {
  return `${topic}/${partition}@${offset}${lastOffset === null ? '' : `-${lastOffset}`}`;
}
