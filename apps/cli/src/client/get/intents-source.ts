import type { IntentView } from '#contracts';

import { pagedList } from '../http/list-pages.js';
import { statusColour } from '../output/colours.js';
import { moneyText } from '../output/money.js';
import type { Column } from '../output/table.js';
import { ageText } from '../output/times.js';
import { intentKeys } from '../query/query-keys.js';
import type { ListSource } from './list-source.js';

export const intentColumns: readonly Column<IntentView>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status }) => status, colour: ({ status }) => statusColour(status) },
  { title: 'OPERATION', of: ({ operation }) => operation },
  { title: 'REASON', of: ({ reason }) => reason },
  { title: 'CODE', of: ({ code }) => code },
  { title: 'PURCHASE', of: ({ purchaseId }) => purchaseId },
  { title: 'AMOUNT', of: ({ amount }) => (amount === null ? null : moneyText(amount)), side: 'right' },
  { title: 'AGE', of: ({ since, recordedAt }) => ageText(since ?? recordedAt) },
  { title: 'RECORDED', of: ({ recordedAt }) => recordedAt, isWide: true },
  { title: 'OCCURRED', of: ({ occurredAt }) => occurredAt, isWide: true },
  { title: 'EVENT', of: ({ eventType }) => eventType, isWide: true },
  { title: 'SOURCE', of: ({ source }) => source, isWide: true },
  { title: 'STORE', of: ({ storeId }) => storeId, isWide: true },
  { title: 'RECORD', of: ({ cause }) => `${cause.topic}/${cause.partition}@${cause.offset}`, isWide: true },
  { title: 'FINGERPRINT', of: ({ fingerprint }) => fingerprint, isWide: true },
];

export const intentsSource: ListSource<IntentView> = {
  path: '/intents',
  keys: intentKeys,
  pages: pagedList,
  since: 'from',
  columns: intentColumns,
  nameOf: ({ id }) => id,
};
