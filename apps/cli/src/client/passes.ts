import type { ListedPassPage } from '#contracts';

import { pagedList } from './api-client.js';
import type { ListSource } from './show.js';

type ListedPass = ListedPassPage['items'][number];

const shown = ({ pass }: ListedPass, name: string): string | number | null => {
  const value = pass[name];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
};

/** The partner's own listing of a program's passes. */
export const passesSource: ListSource<ListedPass> = {
  path: '/passes',
  keys: { program: null, updatedSince: null, status: null, tier: null, template: null, reason: null },
  pages: pagedList,
  since: () => '',
  columns: [
    { title: 'MEMBER', of: ({ memberId }) => memberId },
    { title: 'PASS', of: (listed) => shown(listed, 'passId') },
    { title: 'SERIAL', of: (listed) => shown(listed, 'serialNumber') },
    { title: 'STATUS', of: (listed) => shown(listed, 'statusCode') },
    { title: 'TIER', of: (listed) => shown(listed, 'templateTierId') },
    { title: 'TEMPLATE', of: (listed) => shown(listed, 'templateId'), isWide: true },
  ],
  nameOf: (listed) => listed.memberId ?? String(shown(listed, 'serialNumber') ?? ''),
};
