import type { AuditEntry } from '#contracts';

import { pagedList } from './api-client.js';
import { auditKeys } from './query.js';
import type { ListSource } from './show.js';

type Detail = NonNullable<AuditEntry['detail']>;

/** Such as `replay=r-1 items=12`. */
function detailText(detail: Detail): string {
  const known = Object.entries(detail).filter(([, value]) => value !== null);
  return known.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
}

/** What it was done to, as far as the entry says. */
function targetOf({ intent, member, detail }: AuditEntry): string | null {
  if (intent !== null) return intent;
  if (member !== null) return `${member.program}/${member.memberId}`;
  return detail === null ? null : detailText(detail);
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
    { title: 'ROLE', of: ({ role }) => role, isWide: true },
    { title: 'ADDRESS', of: ({ address }) => address, isWide: true },
    { title: 'ACTION', of: ({ action }) => action },
    { title: 'TARGET', of: targetOf },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf: ({ id }) => String(id),
};
