import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { ActionDialog } from '../components/action-dialog.js';
import { TimeText, useNowMs } from '../components/time-text.js';
import { Preview } from '../intent/exchange.js';
import { type FollowUp, stepsToMake } from './job-follow-up.js';
import { newJobId } from './job-id.js';
import type { Job } from './job-kinds.js';
import { useJobBegun } from './use-job-begun.js';
import type { Schedule } from './schedule-draft.js';
import { CheckField } from './work-fields.js';

interface FollowUpProps {
  readonly job: Job;
  readonly onClose: () => void;
}

function SettleDialog({ job, onClose }: FollowUpProps): ReactNode {
  const [id] = useState(newJobId);
  const onDone = useJobBegun();
  const program = job.program ?? '';
  return (
    <ActionDialog
      action={`Settle what is proven of ${program}`}
      done="The rereading has begun."
      effect={{
        words:
          'The answers are read once more, and what they prove counts as delivered: shops get the outcome, and blocked lanes go on. The partner is not called.',
        count: { value: job.progress.proven ?? 0, of: 'intents, by the dry run' },
      }}
      undo="This cannot be undone: delivered stays delivered. Look at some of the dry run’s lines first; with too weak a proof in the dialect, refusals count as delivered."
      isDangerous
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/jobs', { body: { kind: 'reread', id, program, dryRun: false, reason } })}
    />
  );
}

const canaryLabel = 'Canary: one first, then ten, then the rest; it stops by itself when they fail';

const listingFilters = ['updatedSince', 'status', 'tier', 'template'];

interface LookAgainProps extends FollowUpProps, Pick<ComponentProps<typeof ActionDialog>, 'children' | 'isDangerous'> {
  readonly name: string;
  readonly words: string;
  readonly members: number;
  readonly undo: string;
  readonly order: object;
}

/** Lists the same passes again, this time for something: what has changed since counts. */
function LookAgainDialog({ job, name, words, members, order, ...rest }: LookAgainProps): ReactNode {
  const [id] = useState(newJobId);
  const onDone = useJobBegun();
  const program = job.program ?? '';
  const filter = Object.fromEntries(Object.entries(job.request).filter(([name]) => listingFilters.includes(name)));
  return (
    <ActionDialog
      {...rest}
      action={`${name} ${program}`}
      done="The reconciliation has begun."
      effect={{ words, count: { value: members, of: 'members, by the look before' } }}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', { body: { kind: 'reconcile', ...filter, id, program, ...order, reason } })
      }
    />
  );
}

function RepairDialog(props: FollowUpProps): ReactNode {
  const { missingThere = 0, missingHere = 0 } = props.job.progress;
  const [canary, setCanary] = useState(true);
  return (
    <LookAgainDialog
      {...props}
      name="Compare again and repair"
      words={`It compares once more, and mends: passes missing there (${missingThere.toLocaleString('en')}) are issued anew, after live traffic; passes missing here (${missingHere.toLocaleString('en')}) are recorded. What is unconfirmed stays.`}
      members={missingThere + missingHere}
      undo="This cannot be undone: an issued pass is issued. A card that was removed at the partner on purpose comes back, unless its member is opted out first."
      isDangerous
      order={{ repair: true, canary }}
    >
      <CheckField label={canaryLabel} value={canary} onChange={setCanary} />
    </LookAgainDialog>
  );
}

function AdoptDialog(props: FollowUpProps): ReactNode {
  return (
    <LookAgainDialog
      {...props}
      name="Take over the members of"
      words="It compares once more, and records each pass that carries our id as the member’s, also of members whom we never saw. Their purchases and rewards then go without a lookup, and what waited for such a pass is sent. Nothing is changed at the partner, and no pass that we know."
      members={props.job.progress.unknownMember ?? 0}
      undo="It can be paused and cancelled. What is recorded stays: a pass that we know is not forgotten. Running it again changes nothing for them."
      order={{ adopt: true }}
    />
  );
}

/** The order of a dry run as it was kept: its shapes are those that the API takes. */
function orderOf({ request }: Job): Pick<Schedule, 'at' | 'select' | 'change' | 'name'> {
  const { dryRun: _dryRun, ...order } = request;
  return order as Pick<Schedule, 'at' | 'select' | 'change' | 'name'>;
}

/** As the dry run has seen it; null where it is not told. */
function requestOf({ report }: Job): ComponentProps<typeof Preview>['preview'] {
  const { request = null } = (report ?? {}) as {
    readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown } | null;
  };
  return request === null ? null : { ...request, problems: [] };
}

/** When the change would be made, by the dry run. */
function instantOf({ report }: Job): string | null {
  const { at = null } = (report ?? {}) as { readonly at?: string | null };
  return at;
}

function MakeScheduleDialog({ job, onClose }: FollowUpProps): ReactNode {
  const [id] = useState(newJobId);
  const onDone = useJobBegun();
  const nowMs = useNowMs();
  const program = job.program ?? '';
  const order = orderOf(job);
  const { at } = order;
  const instant = instantOf(job);
  const isPast = instant !== null && Date.parse(instant) <= nowMs;
  return (
    <ActionDialog
      action={`Schedule this change of ${program}`}
      done="The schedule is being made."
      effect={{
        words: (
          <>
            The partner is asked once to change passes{' '}
            {typeof at === 'string' ? null : `on ${at.dateTime}, ${at.timeZone}, `}
            {instant === null ? null : <TimeText at={instant} isLong mayCome />}. Those that fit then are changed,
            whatever was counted before.
          </>
        ),
        count: { value: job.progress.selected ?? 0, of: 'passes that fit, by the dry run' },
      }}
      undo="Nothing here takes a schedule back: that is done at the partner. If its answer is lost, look there: it is never asked twice."
      isDangerous
      obstacle={isPast ? 'Its time has passed: count for another one.' : null}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', { body: { kind: 'schedule', ...order, id, program, dryRun: false, reason } })
      }
    >
      <Preview name="The request" preview={requestOf(job)} />
    </ActionDialog>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const linesRead = 100;

function ApplyDialog({ job, onClose }: FollowUpProps): ReactNode {
  const [id] = useState(newJobId);
  const onDone = useJobBegun();
  const { program } = job;
  const { data } = useQuery(apiQuery('/jobs/{id}/lines', { params: { id: job.id }, query: { limit: linesRead } }));
  const steps = (data?.items ?? []).filter(({ action }) => action === 'create' || action === 'update');
  const ofWhat = program ?? 'all that the file declares';
  return (
    <ActionDialog
      action={`Set up ${ofWhat}`}
      done="It is being set up."
      effect={{
        words:
          'The plan is made anew, by the programs file of now, and carried out step by step, at most five calls a second: if the file has changed since, it is another plan.',
        count: { value: stepsToMake(job), of: 'steps, by this plan' },
        items: steps.map(({ step, action, kind, name }) => ({
          id: String(step),
          text: `${textOf(action)} ${textOf(kind)} ${textOf(name)}`,
        })),
      }}
      undo="Nothing here takes it back: what is made at the partner is changed or removed there. It can be paused and cancelled; steps that are done stay done."
      isDangerous
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', {
          body: { kind: 'provision', id, apply: true, reason, ...(program === null ? {} : { program }) },
        })
      }
    />
  );
}

/** What a topic was asked for, as it was kept: its shapes are those that the API takes. */
const topicOrderOf = ({ request }: Job): { readonly from: string } =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'dryRun')) as { readonly from: string };

function RecordMissedDialog({ job, onClose }: FollowUpProps): ReactNode {
  const [id] = useState(newJobId);
  const onDone = useJobBegun();
  const { missed = 0 } = job.progress;
  return (
    <ActionDialog
      action="Read again and record what was missed"
      done="The topic is being read."
      effect={{
        words:
          'It is read once more, and what was missed is recorded as if it came now, by the programs file in force: it is sent to the partner. What is known stays as it is, and so does what maps otherwise now.',
        count: { value: missed, of: 'events, by the dry run' },
      }}
      undo="This cannot be undone: what is recorded is sent. It can be paused and cancelled. Running it again changes nothing."
      isDangerous
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) =>
        apiPost('/jobs', { body: { kind: 'reread-topic', ...topicOrderOf(job), id, dryRun: false, reason } })
      }
    />
  );
}

/** Does what a dry run, a plan or a look has found. */
export const followUpDialogs: Readonly<Record<FollowUp, (props: FollowUpProps) => ReactNode>> = {
  settle: SettleDialog,
  repair: RepairDialog,
  schedule: MakeScheduleDialog,
  adopt: AdoptDialog,
  apply: ApplyDialog,
  record: RecordMissedDialog,
};
