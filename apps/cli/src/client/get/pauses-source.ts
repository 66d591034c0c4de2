import type { PauseView } from '#contracts';

import { wholeList } from '../http/list-pages.js';
import { ageText } from '../output/times.js';
import type { ListSource } from './list-source.js';

const all = '*';

export const pausesSource: ListSource<PauseView> = {
  path: '/pauses',
  keys: {},
  pages: wholeList,
  since: ({ since }) => since,
  columns: [
    { title: 'PROGRAM', of: ({ program }) => program ?? all },
    { title: 'OPERATION', of: ({ operation }) => operation ?? all },
    { title: 'BY', of: ({ by, automatic }) => (automatic ? `${by} (automatic)` : by) },
    { title: 'AGE', of: ({ since }) => ageText(since) },
    { title: 'SINCE', of: ({ since }) => since, isWide: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: ({ program, operation }) => `${program ?? all}/${operation ?? all}`,
};
