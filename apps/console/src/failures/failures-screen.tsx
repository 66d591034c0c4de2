import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { PageHeader } from '../components/page-header.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { type FailureGroup, filterGroups, groupId } from './causes.js';
import { FailureDetails } from './failure-details.js';
import { FailureFilters } from './failure-filters.js';
import { FailureTable } from './failure-table.js';
import { useGroups } from './use-groups.js';

/** So many the daemon lists. */
const groupsMax = 200;

function countsText(groups: readonly FailureGroup[]): string {
  const intents = groups.reduce((sum, group) => sum + group.intents, 0);
  const causes = `${groups.length} ${groups.length === 1 ? 'cause' : 'causes'}`;
  const most = groups.length >= groupsMax ? ' (the largest)' : '';
  return `${intents.toLocaleString('en')} ${intents === 1 ? 'intent' : 'intents'}, by ${causes}${most}`;
}

function NothingLeft({ isFiltered, readAtMs }: { readonly isFiltered: boolean; readonly readAtMs: number }): ReactNode {
  if (!isFiltered) {
    return (
      <EmptyState title="Nothing is parked, and no outcome is unknown" goodAsOfMs={readAtMs}>
        What the partner refuses, or may have done, comes here by its cause.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nothing of that kind">
      <Link to="/failures">Show all failures</Link>
    </EmptyState>
  );
}

interface FailureListProps {
  readonly groups: readonly FailureGroup[];
  readonly readAtMs: number;
}

function FailureList({ groups, readAtMs }: FailureListProps): ReactNode {
  const [{ program, status }] = useSearchTexts();
  const shown = filterGroups(groups, { program, status });
  const isFiltered = program !== undefined || status !== undefined;
  return (
    <>
      <PageHeader title="Failures" about={countsText(shown)}>
        <FailureFilters programs={[...new Set(groups.map((group) => group.program))].toSorted()} />
      </PageHeader>
      {shown.length === 0 ? (
        <NothingLeft isFiltered={isFiltered} readAtMs={readAtMs} />
      ) : (
        <FailureTable groups={shown} />
      )}
    </>
  );
}

function Gone({ readAtMs }: { readonly readAtMs: number }): ReactNode {
  return (
    <>
      <PageHeader title="Failures" />
      <EmptyState title="None of these is left" goodAsOfMs={readAtMs}>
        They were settled, cancelled or put back into the queue meanwhile, or have failed for another cause since.{' '}
        <Link to="/failures">All failures</Link>
      </EmptyState>
    </>
  );
}

/** Who opens a cause, or goes back, is at the beginning of what came: the link they pressed is gone. */
function useFocusOn(chosen: string | undefined): void {
  const shown = useRef(chosen);
  useEffect(() => {
    if (shown.current === chosen) return;
    shown.current = chosen;
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [chosen]);
}

/** What is wrong, by cause; `group` in the address opens one. */
export function FailuresScreen(): ReactNode {
  const { data, dataUpdatedAt, error, refetch } = useGroups();
  const [{ group: chosen }] = useSearchTexts();
  useFocusOn(chosen);
  if (data === undefined) {
    return (
      <>
        <PageHeader title="Failures" />
        {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      </>
    );
  }
  const group = data.items.find((one) => groupId(one) === chosen);
  return (
    <>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {chosen === undefined ? (
        <FailureList groups={data.items} readAtMs={dataUpdatedAt} />
      ) : group === undefined ? (
        <Gone readAtMs={dataUpdatedAt} />
      ) : (
        <FailureDetails key={chosen} group={group} />
      )}
    </>
  );
}
