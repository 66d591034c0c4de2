import type { GroupView } from '#contracts';

import { wholeList } from '../http/list-pages.js';
import { statusColour } from '../output/colours.js';
import { moneysText } from '../output/money.js';
import { ageText } from '../output/times.js';
import type { ListSource } from './list-source.js';

const plain = /^[^\s"'\\]+$/;

/** The query that shows a group's intents, as `--query` takes it. */
export function groupQuery({ query }: GroupView): string {
  const quoted = (value: string): string => (plain.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`);
  return Object.entries(query)
    .map(([key, value]) => `${key}=${quoted(value)}`)
    .join(' ');
}

/** How many came in the last hours, the newest last, such as `3 0 12`. */
function hoursText({ hours }: GroupView): string {
  return hours.map(({ intents }) => intents).join(' ');
}

export const groupsSource: ListSource<GroupView> = {
  path: '/groups',
  keys: {},
  pages: wholeList,
  since: ({ lastAt }) => lastAt,
  columns: [
    { title: 'INTENTS', of: ({ intents }) => intents, side: 'right' },
    { title: 'MEMBERS', of: ({ members }) => members, side: 'right' },
    { title: 'AT STAKE', of: ({ money }) => moneysText(money), side: 'right' },
    { title: 'STATUS', of: ({ status }) => status, colour: ({ status }) => statusColour(status) },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'CODE', of: ({ code }) => code },
    { title: 'PROGRAM', of: ({ program }) => program },
    { title: 'OPERATION', of: ({ operation }) => operation },
    { title: 'FIRST', of: ({ firstAt }) => ageText(firstAt) },
    { title: 'LAST', of: ({ lastAt }) => ageText(lastAt) },
    { title: 'BY HOUR', of: hoursText, isWide: true },
    { title: 'QUERY', of: groupQuery, isWide: true },
  ],
  nameOf: groupQuery,
};
