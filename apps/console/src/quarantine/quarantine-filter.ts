import type { Answer, Query } from '../api/api-types.js';
import type { SearchTexts } from '../shell/search-texts.js';

export type QuarantinedRecord = Answer<'/quarantine'>['items'][number];
type ListQuery = Query<'/quarantine'>;
export type RecordState = QuarantinedRecord['state'];

/** What a list may be of. */
export type ListedState = RecordState | 'any';
export const listedStates: readonly ListedState[] = ['open', 'resubmitted', 'discarded', 'any'];

/** What actions on many take, beside the state: they are for open ones only. */
export type ManyQuery = Omit<ListQuery, 'state' | 'cursor' | 'limit'>;
const senderNames = ['source', 'store', 'program'] as const;
const manyNames = [
  ...(['reason', 'cause', 'detail', 'topic', 'memberId', 'purchaseId'] as const),
  ...senderNames,
  ...(['from', 'to'] as const),
] as const;

/** What an address says of those that do not say it: it has no empty texts. */
export const unnamed = '(none)';
const isSender = (name: string): boolean => senderNames.some((one) => one === name);

/** Takes all of them out of an address, but for the state. */
export const noFilters: Readonly<Record<string, null>> = Object.fromEntries(manyNames.map((name) => [name, null]));

export function manyQueryOf(texts: SearchTexts): ManyQuery {
  return Object.fromEntries(
    manyNames.flatMap((name) =>
      texts[name] === undefined ? [] : [[name, isSender(name) && texts[name] === unnamed ? '' : texts[name]]],
    ),
  );
}

export function stateOf(texts: SearchTexts): ListedState {
  return listedStates.find((state) => state === texts.state) ?? 'open';
}

export function listQueryOf(texts: SearchTexts): ListQuery {
  return { ...manyQueryOf(texts), state: stateOf(texts) };
}

/** A filter in words, such as `reason invalid, topic loyalty.purchases`; null where it takes everything. */
export function filterWords(query: ManyQuery): string | null {
  const words = manyNames.flatMap((name) =>
    query[name] === undefined ? [] : [`${name} ${query[name] === '' ? unnamed : query[name]}`],
  );
  return words.length === 0 ? null : words.join(', ');
}

/** `loyalty.purchases/3@120`, or `@120-140` of a whole record batch. */
export function placeText({ topic, partition, offset, lastOffset }: QuarantinedRecord): string {
  return `${topic}/${partition}@${offset}${lastOffset === null ? '' : `-${lastOffset}`}`;
}
