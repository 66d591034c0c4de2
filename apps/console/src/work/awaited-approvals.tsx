import { type ReactNode } from 'react';

import type { Query } from '../api/api-types.js';
import { ErrorPanel } from '../components/error-panel.js';
import { useMe } from '../session/session-store.js';
import { ApprovalList } from './approval-list.js';
import { useApprovals } from './use-approvals.js';

/** What waits for a second person about an intent or a member, on their own pages; nothing where nothing does. */
export function AwaitedApprovals({ about }: { readonly about: Query<'/approvals'> }): ReactNode {
  const { twoPersons } = useMe();
  const { data, error, refetch } = useApprovals(about, { isAsked: twoPersons });
  if (data === undefined && error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const { intent = '' } = about;
  return (
    <ApprovalList
      approvals={data?.items ?? []}
      titled="Waits for a second person: "
      isShownHere={({ kind, target }) => kind === 'erasure' || target === `/intents/${intent}`}
    />
  );
}
