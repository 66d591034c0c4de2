import { type ReactNode } from 'react';

import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { PageHeader } from '../components/page-header.js';
import { useMe } from '../session/session-store.js';
import { ApprovalList } from './approval-list.js';
import { byUrgency } from './approval-words.js';
import { useApprovals } from './use-approvals.js';

function NothingWaits(): ReactNode {
  const { twoPersons } = useMe();
  return (
    <EmptyState title="Nothing waits for a second person" isGood>
      {twoPersons
        ? 'Forced replays and resolutions, exports with personal data and many erasures wait here.'
        : 'Two persons are not asked for: OPS_TWO_PERSONS is off.'}
    </EmptyState>
  );
}

/** What waits, or waited, for a second person. */
export function ApprovalsScreen(): ReactNode {
  const { data, error, refetch } = useApprovals({});
  const approvals = byUrgency(data?.items ?? []);
  return (
    <>
      <PageHeader
        title="Approvals"
        about="What one person alone does not do here: another admin looks at it, and has it done or refuses it."
      />
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data !== undefined && approvals.length === 0 ? <NothingWaits /> : null}
      <ApprovalList approvals={approvals} />
    </>
  );
}
