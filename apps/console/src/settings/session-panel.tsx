import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';
import { Facts } from '../components/facts.js';
import { Panel } from '../components/panel.js';
import { TimeText } from '../components/time-text.js';
import { type Me, useMe } from '../session/session-store.js';
import { isAlone, signOut } from '../session/shared-session.js';

const may: Readonly<Record<Me['role'], string>> = {
  viewer: 'reads, with everything personal masked',
  operator: 'reads and acts',
  admin: 'acts, forces, erases, changes value and sees personal values',
};

function Provider(): ReactNode {
  const { data } = useQuery(apiQuery('/console', {}));
  if (data === undefined) return null;
  return data.oidc === null
    ? 'Your token stays valid after you sign out: it ends only where it is taken out of OPS_TOKENS.'
    : `At ${data.oidc.issuer} you may still be signed in: sign out there, too, on a computer that others use.`;
}

/** Who is signed in, what that allows, and the way out. */
export function SessionPanel(): ReactNode {
  const { name, role, subject, limitedTo, readOnly, expiresAt } = useMe();
  return (
    <Panel
      title="Your session"
      about={
        <>
          {isAlone
            ? 'It lives in the tabs of this browser, and ends with the last of them.'
            : 'It lives in this tab, and ends with it.'}{' '}
          Signing out ends it in all. <Provider />
        </>
      }
      actions={
        <button type="button" onClick={() => signOut()}>
          Sign out
        </button>
      }
    >
      <Facts
        items={[
          { name: 'Name', value: name },
          { name: 'Role', value: `${role}: ${may[role]}` },
          ...(subject === null ? [] : [{ name: 'Subject', value: subject }]),
          { name: 'Programs', value: limitedTo === null ? 'all' : limitedTo.join(', ') },
          {
            name: 'Token ends',
            value: expiresAt === null ? 'never by itself' : <TimeText at={expiresAt} isLong mayCome />,
          },
          { name: 'Read-only', value: readOnly ? 'yes: nobody may change anything (OPS_READ_ONLY)' : 'no' },
        ]}
      />
    </Panel>
  );
}
