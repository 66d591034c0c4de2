import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { DeedButton } from '../components/deed-button.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Facts } from '../components/facts.js';
import { PageHeader } from '../components/page-header.js';
import { Panel } from '../components/panel.js';
import { TimeText } from '../components/time-text.js';
import { followUpDialogs } from './follow-up-dialogs.js';
import { SteerDialog } from './job-deeds.js';
import { type FollowUp, followUpOf } from './job-follow-up.js';
import { isKind, isMoving, type Job, jobKinds, type JobKind, type JobSteering, whyNotSteered } from './job-kinds.js';
import { factOf } from './job-facts.js';
import { JobLines } from './job-lines.js';
import { reportFacts } from './job-progress.js';
import { JobReport } from './job-report.js';
import styles from './job-report.module.css';
import { StateBadge } from './state-badge.js';
import { StepsInDoubt } from './steps-in-doubt.js';

const movingMs = 2_000;
type Opened = JobSteering | FollowUp;

const isFollowUp = (opened: Opened): opened is FollowUp => opened in followUpDialogs;

const followUpNames: Readonly<Record<FollowUp, string>> = {
  settle: 'Settle what is proven',
  repair: 'Repair what was found',
  schedule: 'Schedule this change',
  apply: 'Set it up',
};

const steerings = ['pause', 'resume', 'cancel'] as const;

/** Only what its state allows: to one that is over nothing can be done. */
function Actions({ job, onOpen }: { readonly job: Job; readonly onOpen: (opened: Opened) => void }): ReactNode {
  const followUp = followUpOf(job);
  return (
    <>
      {followUp === null ? null : (
        <DeedButton needs="operator" kind="main" onClick={() => onOpen(followUp)}>
          {followUpNames[followUp]}
        </DeedButton>
      )}
      {steerings
        .filter((steering) => whyNotSteered(job, steering) === null)
        .map((steering) => (
          <DeedButton key={steering} needs="operator" onClick={() => onOpen(steering)}>
            {{ pause: 'Pause', resume: 'Resume', cancel: 'Cancel' }[steering]}
          </DeedButton>
        ))}
    </>
  );
}

function JobFacts({ job }: { readonly job: Job }): ReactNode {
  const { id, program, reason, createdAt, createdBy, finishedAt, request } = job;
  return (
    <Panel title="What was asked for">
      <Facts
        items={[
          { name: 'Program', value: program ?? 'all' },
          { name: 'Asked by', value: createdBy },
          { name: 'Why', value: reason },
          { name: 'Begun', value: <TimeText at={createdAt} isLong /> },
          ...(finishedAt === null ? [] : [{ name: 'Ended', value: <TimeText at={finishedAt} isLong /> }]),
          ...reportFacts(request).map(factOf),
          { name: 'Id', value: <code>{id}</code> },
        ]}
      />
    </Panel>
  );
}

/** Why it does not go on, or has come to a bad end. */
function Failure({ job }: { readonly job: Job }): ReactNode {
  const { error, state } = job;
  if (error === null) return null;
  const isOver = state === 'failed';
  return (
    <section className={isOver ? styles.failed : styles.trouble} aria-label="What went wrong">
      <h2>{isOver ? 'It failed' : 'Its last part failed'}</h2>
      <p>
        <code>{error}</code>
      </p>
      <p>
        {isOver
          ? 'What it has done stays done. Mend the cause, then resume it: it goes on where it was.'
          : 'It is tried again by itself, later each time. Where that goes on, mend the cause: Now says whether the partner answers.'}
      </p>
    </section>
  );
}

interface OpenedProps {
  readonly job: Job;
  readonly opened: Opened | null;
  readonly onClose: () => void;
}

function OpenedDialog({ job, opened, onClose }: OpenedProps): ReactNode {
  if (opened === null) return null;
  if (!isFollowUp(opened)) return <SteerDialog job={job} steering={opened} onClose={onClose} />;
  const Dialog = followUpDialogs[opened];
  return <Dialog job={job} onClose={onClose} />;
}

/** An erasure is of a member, any other job of a program. */
function titleOf(name: string, job: Job | undefined): string {
  const { memberId } = job?.request ?? {};
  const of = job?.kind === 'erasure' && typeof memberId === 'string' ? memberId : (job?.program ?? null);
  return of === null ? name : `${name} of ${of}`;
}

function JobPage({ kind, id }: { readonly kind: JobKind; readonly id: string }): ReactNode {
  const { name, does } = jobKinds[kind];
  const [opened, setOpened] = useState<Opened | null>(null);
  const { data, error, refetch } = useQuery({
    ...apiQuery('/jobs/{id}', { params: { id } }),
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data) ? movingMs : false),
  });
  return (
    <>
      <PageHeader
        title={titleOf(name, data)}
        badge={data === undefined ? null : <StateBadge state={data.state} />}
        about={
          <>
            <Link to="/jobs">Jobs</Link>: it {does}.
          </>
        }
      >
        {data === undefined ? null : <Actions job={data} onOpen={setOpened} />}
      </PageHeader>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : (
        <>
          <Failure job={data} />
          <div className={styles.screen}>
            <JobReport job={data} />
            <JobFacts job={data} />
          </div>
          <StepsInDoubt job={data} />
          <JobLines job={data} />
          <OpenedDialog job={data} opened={opened} onClose={() => setOpened(null)} />
        </>
      )}
    </>
  );
}

/** One job: how far it is, what it found, and how to stop it. */
export function JobScreen(): ReactNode {
  const { kind = '', id = '' }: { readonly kind?: string; readonly id?: string } = useParams({ strict: false });
  if (isKind(kind)) return <JobPage key={`${kind}/${id}`} kind={kind} id={id} />;
  return (
    <>
      <PageHeader title="Job" />
      <EmptyState title="There is no such kind of job">
        <Link to="/jobs">All jobs</Link>
      </EmptyState>
    </>
  );
}
