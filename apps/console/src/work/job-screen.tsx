import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { ActionButton } from '../components/action-button.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Facts } from '../components/facts.js';
import { PageHeader } from '../components/page-header.js';
import { Panel } from '../components/panel.js';
import { Reading } from '../components/reading.js';
import { TimeText } from '../components/time-text.js';
import { countOfJob, replayOf } from './replay/replay-filter.js';
import { ReplayItems } from './replay/replay-items.js';
import { ReplayPart, ReplayStory } from './replay/replay-part.js';
import { ManyPlan } from './many/many-plan.js';
import { followUpDialogs } from './follow-up-dialogs.js';
import { SteerDialog, steeringOf } from './job-actions.js';
import { type FollowUp, followUpsOf } from './job-follow-up.js';
import {
  hasItems,
  isKind,
  isManyKind,
  isMoving,
  type Job,
  jobKinds,
  type JobKind,
  type JobSteering,
  whyNotSteered,
} from './job-kinds.js';
import { HeldNote } from './held-note.js';
import { factOf } from './job-facts.js';
import { JobLines } from './job-lines.js';
import { reportFacts } from './job-progress.js';
import { JobReport } from './job-report.js';
import styles from './job-report.module.css';
import { StateBadge } from './state-badge.js';
import { StepsInDoubt } from './steps-in-doubt.js';
import { useHolds } from './use-holds.js';

const movingMs = 2_000;
type Opened = JobSteering | FollowUp;

const isFollowUp = (opened: Opened): opened is FollowUp => opened in followUpDialogs;

const followUpNames: Readonly<Record<FollowUp, string>> = {
  settle: 'Settle what is proven',
  repair: 'Repair what was found',
  adopt: 'Take over whom we do not know',
  schedule: 'Schedule this change',
  apply: 'Set it up',
  record: 'Record what was missed',
};

const steerings = ['pause', 'resume', 'cancel'] as const;

/** Only what its state allows: to one that is over nothing can be done. */
function Actions({ job, onOpen }: { readonly job: Job; readonly onOpen: (opened: Opened) => void }): ReactNode {
  return (
    <>
      {followUpsOf(job).map((followUp) => (
        <ActionButton key={followUp} needs="operator" kind="main" onClick={() => onOpen(followUp)}>
          {followUpNames[followUp]}
        </ActionButton>
      ))}
      {steerings
        .filter((steering) => whyNotSteered(job, steering) === null)
        .map((steering) => (
          <ActionButton
            key={steering}
            // Whoever acts may pause; an admin's is resumed and cancelled by an admin, which the daemon judges.
            needs={steering !== 'pause' && job.request.force === true ? 'admin' : 'operator'}
            {...(steering === 'resume' ? { kind: 'main' as const } : {})}
            onClick={() => onOpen(steering)}
          >
            {steeringOf(job, steering).button}
          </ActionButton>
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
  const isStopped = state === 'stopped';
  const isOver = state === 'failed' || isStopped;
  return (
    <section className={isOver ? styles.failed : styles.trouble} aria-label="What went wrong">
      <h2>{isStopped ? 'Its canary stopped it' : isOver ? 'It failed' : 'Its last part failed'}</h2>
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

/** A replay is of what it sends, an erasure of a member, any other job of a program. */
function subjectOf(job: Job): string | null {
  const { kind, program, request, selection } = job;
  if (hasItems(kind)) return countOfJob(replayOf(job), selection?.items ?? 0);
  return kind === 'erase' && typeof request.memberId === 'string' ? request.memberId : program;
}

function titleOf(name: string, job: Job | undefined): string {
  const subject = job === undefined ? null : subjectOf(job);
  return subject === null ? name : `${name} of ${subject}`;
}

/** What is shown of a job that is no replay. */
function JobParts({ job }: { readonly job: Job }): ReactNode {
  return (
    <>
      <Failure job={job} />
      <div className={styles.screen}>
        <JobReport job={job} />
        <JobFacts job={job} />
      </div>
      <StepsInDoubt job={job} />
      {job.selection === null ? null : <ReplayItems replay={replayOf(job)} />}
      <JobLines job={job} />
    </>
  );
}

function Held({ job }: { readonly job: Job }): ReactNode {
  return <HeldNote holds={useHolds(job)} />;
}

function Parts({ job, atMs }: { readonly job: Job; readonly atMs: number }): ReactNode {
  if (job.kind === 'replay') return <ReplayPart job={job} atMs={atMs} />;
  return isManyKind(job.kind) && job.state === 'planned' ? <ManyPlan job={job} /> : <JobParts job={job} />;
}

/** Also what was sent before it was paused or stopped comes to its end. */
const mayMove = (job: Job): boolean => isMoving(job) || (job.selection?.byState.sent ?? 0) > 0;

function JobPage({ kind, id }: { readonly kind: JobKind; readonly id: string }): ReactNode {
  const { name, does } = jobKinds[kind];
  const [opened, setOpened] = useState<Opened | null>(null);
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    ...apiQuery('/jobs/{id}', { params: { id } }),
    refetchInterval: ({ state }) => (state.data !== undefined && mayMove(state.data) ? movingMs : false),
  });
  return (
    <>
      <PageHeader
        title={titleOf(name, data)}
        badge={data === undefined ? null : <StateBadge state={data.state} />}
        about={
          <>
            <Link to="/jobs">Jobs</Link>: it {does}.{' '}
            {data !== undefined && hasItems(data.kind) ? <ReplayStory job={data} /> : null}
          </>
        }
      >
        {data === undefined ? null : <Actions job={data} onOpen={setOpened} />}
      </PageHeader>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <Reading /> : null}
      {data === undefined ? null : (
        <>
          <Held job={data} />
          <Parts job={data} atMs={dataUpdatedAt} />
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
