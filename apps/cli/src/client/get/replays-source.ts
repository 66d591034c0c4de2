import type { ReplayItemView, ReplayView } from '#contracts';

import type { Query } from '../http/api-client.js';
import { pathPart } from '../http/api-client.js';
import { pagedList, wholeList } from '../http/list-pages.js';
import { statusColour } from '../output/colours.js';
import { countsText } from '../output/counts.js';
import { moneysText } from '../output/money.js';
import type { Column } from '../output/table.js';
import { ageText } from '../output/times.js';
import { replayItemKeys } from '../query/query-keys.js';
import type { ListSource } from './list-source.js';

export const replaysSource: ListSource<ReplayView> = {
  path: '/replays',
  keys: {},
  pages: wholeList,
  since: ({ createdAt }) => createdAt,
  columns: [
    { title: 'ID', of: ({ id }) => id },
    { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => statusColour(state) },
    { title: 'ITEMS', of: ({ items }) => items, side: 'right' },
    { title: 'RESULT', of: ({ byState }) => countsText(byState) },
    { title: 'AT STAKE', of: ({ money }) => moneysText(money), side: 'right' },
    { title: 'RATE', of: ({ ratePerSecond }) => `${ratePerSecond}/s`, side: 'right' },
    { title: 'BY', of: ({ createdBy }) => createdBy },
    { title: 'AGE', of: ({ createdAt }) => ageText(createdAt) },
    { title: 'CREATED', of: ({ createdAt }) => createdAt, isWide: true },
    { title: 'FINISHED', of: ({ finishedAt }) => finishedAt, isWide: true },
    { title: 'STOPPED BECAUSE', of: ({ stoppedBecause }) => stoppedBecause, isWide: true },
    { title: 'QUERY', of: ({ query }) => JSON.stringify(query), isWide: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: ({ id }) => id,
};

export const replayItemColumns: readonly Column<ReplayItemView>[] = [
  { title: 'INTENT', of: ({ intent }) => intent },
  { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => statusColour(state) },
  { title: 'FORECAST', of: ({ forecast }) => forecast },
  { title: 'OVERTAKEN', of: ({ overtaken }) => overtaken, side: 'right' },
  { title: 'SENT', of: ({ sentAt }) => ageText(sentAt) },
  { title: 'DETAIL', of: ({ detail }) => detail },
];

/** What came of each item of one replay, in the order in which they are sent. */
export function replayItemsSource(
  replayId: string,
  { requests = false }: { readonly requests?: boolean },
): ListSource<ReplayItemView> {
  const extra: Query = requests ? { requests: 'true' } : {};
  return {
    path: `/replays/${pathPart(replayId)}/items`,
    keys: replayItemKeys,
    pages: (client, request) => pagedList(client, { ...request, query: { ...request.query, ...extra } }),
    since: ({ sentAt }) => sentAt ?? '',
    columns: replayItemColumns,
    nameOf: ({ intent }) => intent,
  };
}
