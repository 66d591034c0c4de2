import type { AuditEntry } from '#contracts';

import { pagedList } from '../http/list-pages.js';
import { auditKeys } from '../query/query-keys.js';
import type { ListSource } from './list-source.js';

/** What it was done to, as far as the entry says. */
function targetOf({ intent, member, detail }: AuditEntry): string | null {
  if (intent !== null) return intent;
  if (member !== null) return `${member.program}/${member.memberId}`;
  return detail === null ? null : JSON.stringify(detail);
}

export const auditSource: ListSource<AuditEntry> = {
  path: '/audit',
  keys: auditKeys,
  pages: pagedList,
  since: ({ at }) => at,
  columns: [
    { title: 'ID', of: ({ id }) => id, side: 'right', isWide: true },
    { title: 'AT', of: ({ at }) => at },
    { title: 'ACTOR', of: ({ actor }) => actor },
    { title: 'ADDRESS', of: ({ address }) => address, isWide: true },
    { title: 'ACTION', of: ({ action }) => action },
    { title: 'TARGET', of: targetOf },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: ({ id }) => String(id),
};
