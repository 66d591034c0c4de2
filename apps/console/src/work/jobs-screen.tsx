import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { ActionButton } from '../components/action-button.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { FilterBar, FilterChoice } from '../components/filter-bar.js';
import { Money } from '../components/money.js';
import { PageHeader } from '../components/page-header.js';
import { Reading } from '../components/reading.js';
import { PlainTable } from '../components/plain-table.js';
import { TimeText, useNowMs } from '../components/time-text.js';
import { filterOfReplay, recordsText, replayOf, selectionText } from './replay/replay-filter.js';
import { useMe } from '../session/session-store.js';
import { type Preferences, usePreferences } from '../shell/preferences.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { BeginJob } from './begin-job.js';
import {
  hasItems,
  isKind,
  isManyKind,
  isMoving,
  isRecordKind,
  type Job,
  jobKinds,
  jobStates,
  kindNames,
  whyHidden,
  whyNotBegun,
} from './job-kinds.js';
import { findingsOf } from './job-counts.js';
import { requestText } from './job-progress.js';
import { JobProgressBar } from './job-progress-bar.js';
import styles from './jobs-screen.module.css';
import { StateBadge } from './state-badge.js';
import { useJobs } from './use-jobs.js';

const kindOptions = [
  { value: '', text: 'any' },
  ...kindNames.map((kind) => ({ value: kind, text: jobKinds[kind].name.toLowerCase() })),
];
const stateOptions = [{ value: '', text: 'any' }, ...jobStates.map((state) => ({ value: state, text: state }))];

function Filters(): ReactNode {
  const [texts, change] = useSearchTexts();
  const isFiltered = texts.kind !== undefined || texts.state !== undefined;
  return (
    <FilterBar label="Jobs" onClear={isFiltered ? () => change({ kind: null, state: null }) : undefined}>
      <FilterChoice label="Kind" value={texts.kind ?? ''} options={kindOptions} onChange={(kind) => change({ kind })} />
      <FilterChoice
        label="State"
        value={texts.state ?? ''}
        options={stateOptions}
        onChange={(state) => change({ state })}
      />
    </FilterBar>
  );
}

function JobLink({ job }: { readonly job: Job }): ReactNode {
  const { kind, id } = job;
  return (
    <Link to="/jobs/$kind/$id" params={{ kind, id }} title={id}>
      {jobKinds[kind].name}
    </Link>
  );
}

/** How far it is; of one that has ended what somebody should see to as well. */
function Progress({ job, nowMs }: { readonly job: Job; readonly nowMs: number }): ReactNode {
  const findings = job.state === 'done' ? findingsOf(job) : 0;
  return (
    <>
      <JobProgressBar job={job} nowMs={nowMs} />
      {job.error === null || !isMoving(job) ? null : <span className={styles.findings}>its last part failed</span>}
      {findings === 0 ? null : <span className={styles.findings}>{findings.toLocaleString('en')} to see to</span>}
    </>
  );
}

/** A replay is known by what it selects. */
function askedText(job: Job, timeZone: Preferences['timeZone']): string {
  if (isRecordKind(job.kind)) return recordsText(replayOf(job));
  return hasItems(job.kind) ? selectionText(filterOfReplay(replayOf(job)), timeZone) : requestText(job);
}

function JobTable({ jobs }: { readonly jobs: readonly Job[] }): ReactNode {
  const nowMs = useNowMs();
  const { timeZone } = usePreferences();
  return (
    <PlainTable
      label="Jobs"
      rows={jobs}
      rowId={({ kind, id }) => `${kind}/${id}`}
      columns={[
        { id: 'kind', header: 'Job', cell: (job) => <JobLink job={job} /> },
        { id: 'state', header: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { id: 'progress', header: 'Progress', cell: (job) => <Progress job={job} nowMs={nowMs} /> },
        {
          id: 'program',
          header: 'Program',
          isMinor: true,
          className: styles.line,
          cell: ({ program }) => program ?? 'all',
        },
        {
          id: 'request',
          header: 'Asked for',
          isMinor: true,
          className: styles.words,
          cell: (job) => askedText(job, timeZone),
        },
        {
          id: 'money',
          header: 'At stake',
          isMinor: true,
          cell: ({ selection }) => (selection === null ? '–' : <Money of={selection.money} />),
        },
        {
          id: 'reason',
          header: 'Why',
          isMinor: true,
          className: styles.words,
          cell: ({ reason, startReason }) => startReason ?? reason,
        },
        { id: 'by', header: 'By', isMinor: true, cell: ({ createdBy, startedBy }) => startedBy ?? createdBy },
        { id: 'at', header: 'Begun', className: styles.line, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
      ]}
    />
  );
}

function JobList(): ReactNode {
  const [texts] = useSearchTexts();
  const { jobs, isLoading, error, refetch } = useJobs();
  const shown = jobs.filter(({ kind, state }) => (texts.kind ?? kind) === kind && (texts.state ?? state) === state);
  return (
    <>
      {error === null ? null : <ErrorPanel error={error} onRetry={refetch} />}
      {isLoading && error === null ? <Reading /> : null}
      {shown.length > 0 ? <JobTable jobs={shown} /> : null}
      {shown.length === 0 && !isLoading && error === null ? (
        <EmptyState title={jobs.length === 0 ? 'There are no jobs' : 'No job fits these filters'}>
          They are begun by the buttons above, or by the command line:{' '}
          <code className={styles.line}>loyaltyd --help</code>. All are followed here. A group of{' '}
          <Link to="/failures">failures</Link> has the button that plans its replay.
        </EmptyState>
      ) : null}
    </>
  );
}

/** Stored work on many records, of all kinds. */
export function JobsScreen(): ReactNode {
  const [{ begin: begun = '' }, change] = useSearchTexts();
  const me = useMe();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title="Jobs" about="Work on many records, done by the daemon bit by bit, beside the traffic.">
        {kindNames.map((kind) => (
          <ActionButton
            key={kind}
            needs={jobKinds[kind].needs}
            obstacle={whyHidden(kind, me)}
            onClick={() => {
              if (kind === 'replay') void navigate({ to: '/jobs/replay/new' });
              else if (isManyKind(kind)) void navigate({ to: '/jobs/many/new', search: { kind } });
              else change({ begin: kind });
            }}
          >
            {jobKinds[kind].begin}
          </ActionButton>
        ))}
      </PageHeader>
      <Filters />
      <JobList />
      {isKind(begun) && begun !== 'replay' && !isManyKind(begun) && whyNotBegun(begun, me) === null ? (
        <BeginJob kind={begun} onClose={() => change({ begin: null })} />
      ) : null}
    </>
  );
}
