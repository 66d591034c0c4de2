import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';
import { ErrorPanel } from '../components/error-panel.js';
import { PageHeader } from '../components/page-header.js';
import { TimeText } from '../components/time-text.js';
import { FilterChips } from './filter-chips.js';
import { countOf, filterOfReplay, type Replay } from './replay-filter.js';
import { ReplayActions } from './replay-actions.js';
import { ReplayItems } from './replay-items.js';
import { ReplayPlan } from './replay-plan.js';
import { ReplayProgress } from './replay-progress.js';
import { ReplayState } from './replay-state.js';
import styles from './replays.module.css';

/** The stream tells it sooner; where a proxy holds that back, this does. */
const movingMs = 5_000;

const isMoving = (replay: Replay | undefined): boolean =>
  replay !== undefined && (replay.state === 'running' || (replay.byState.sent ?? 0) > 0);

function Story({ replay }: { readonly replay: Replay }): ReactNode {
  const { id, createdBy, createdAt, startedBy, startedAt, startReason, reason } = replay;
  return (
    <>
      <code>{id}</code>. Planned by {createdBy}, <TimeText at={createdAt} />: {reason}
      {startedBy === null || startedAt === null ? null : (
        <>
          . Started by {startedBy}, <TimeText at={startedAt} />
          {startReason === reason ? '' : `: ${startReason ?? ''}`}
        </>
      )}
    </>
  );
}

export function ReplayScreen(): ReactNode {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    ...apiQuery('/replays/{id}', { params: { id } }),
    refetchInterval: ({ state }) => (isMoving(state.data) ? movingMs : false),
  });
  if (data === undefined) {
    return (
      <>
        <PageHeader title={`Replay ${id}`} />
        {error === null ? <p aria-busy="true">Reading</p> : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={`Replay of ${countOf(filterOfReplay(data), data.items)}`}
        badge={<ReplayState state={data.state} />}
        about={<Story replay={data} />}
      >
        <ReplayActions replay={data} />
      </PageHeader>
      <div className={styles.selection}>
        <FilterChips filter={filterOfReplay(data)} />
        {data.force ? (
          <span
            className={styles.forced}
            title="Also those that came back five times or more. Only an admin starts, resumes and cancels it."
          >
            forced
          </span>
        ) : null}
      </div>
      {data.state === 'planned' ? <ReplayPlan replay={data} /> : <ReplayProgress replay={data} atMs={dataUpdatedAt} />}
      <ReplayItems replay={data} />
    </>
  );
}
