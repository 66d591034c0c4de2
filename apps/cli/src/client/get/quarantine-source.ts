import type { QuarantinedView } from '#contracts';

import { pagedList } from '../http/list-pages.js';
import { ageText } from '../output/times.js';
import { quarantineKeys } from '../query/query-keys.js';
import type { ListSource } from './list-source.js';

/** Where it lies: one record, or the first and the last one of a batch. */
export function placeText({ topic, partition, offset, lastOffset }: QuarantinedView): string {
  const last = lastOffset === null || lastOffset === offset ? '' : `-${lastOffset}`;
  return `${topic}/${partition}@${offset}${last}`;
}

export const quarantineSource: ListSource<QuarantinedView> = {
  path: '/quarantine',
  keys: quarantineKeys,
  pages: pagedList,
  since: ({ recordedAt }) => recordedAt,
  columns: [
    { title: 'ID', of: ({ id }) => id, side: 'right' },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'RECORD', of: placeText },
    { title: 'BYTES', of: ({ bytes }) => bytes, side: 'right' },
    { title: 'AGE', of: ({ recordedAt }) => ageText(recordedAt) },
    { title: 'PRODUCED', of: ({ producedAt }) => producedAt, isWide: true },
    { title: 'RECORDED', of: ({ recordedAt }) => recordedAt, isWide: true },
    { title: 'DETAIL', of: ({ detail }) => detail },
  ],
  nameOf: ({ id }) => String(id),
};
