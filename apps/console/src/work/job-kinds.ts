import type { Answer } from '../api/api-types.js';
import { whyNot } from '../session/permissions.js';
import type { Me, Role } from '../session/session-store.js';

export type Job = Answer<'/jobs'>['items'][number];
export type JobKind = Job['kind'];
export type JobState = Job['state'];

interface KindWords {
  /** Of one. */
  readonly name: string;
  readonly does: string;
  /** The button that begins one. */
  readonly begin: string;
  readonly needs: Role;
  /** It is of several programs at once: not for a token that is limited to some. */
  readonly isOfAll?: true;
}

export const jobKinds: Readonly<Record<JobKind, KindWords>> = {
  replay: {
    name: 'Replay',
    does: 'sends parked intents once more',
    begin: 'New replay',
    needs: 'operator',
  },
  resolve: {
    name: 'Resolution',
    does: 'says of many parked intents what became of them',
    begin: 'Resolve many',
    needs: 'operator',
  },
  correct: {
    name: 'Correction',
    does: 'gives many parked intents other content',
    begin: 'Correct many',
    needs: 'operator',
  },
  cancel: {
    name: 'Cancellation',
    does: 'gives many parked intents up',
    begin: 'Cancel many',
    needs: 'operator',
  },
  settle: {
    name: 'Settlement',
    does: 'settles what is in doubt by the partner’s own list',
    begin: 'Settle by a list',
    needs: 'operator',
  },
  ask: {
    name: 'Look',
    does: 'asks the partner about each of what is in doubt',
    begin: 'Ask about many',
    needs: 'operator',
  },
  resubmit: {
    name: 'Resubmission',
    does: 'takes in records that were set aside',
    begin: 'Resubmit records',
    needs: 'operator',
    isOfAll: true,
  },
  discard: {
    name: 'Discard',
    does: 'gives up records that were set aside',
    begin: 'Discard records',
    needs: 'operator',
    isOfAll: true,
  },
  reconcile: {
    name: 'Reconciliation',
    does: 'compares the partner’s passes with ours, and takes over those that we do not know',
    begin: 'Reconcile',
    needs: 'operator',
  },
  reread: {
    name: 'Rereading',
    does: 'reads kept answers in doubt again, by the dialect of now',
    begin: 'Reread',
    needs: 'operator',
  },
  'reread-topic': {
    name: 'Topic rereading',
    does: 'reads a topic once more, and records what was missed',
    begin: 'Reread a topic',
    needs: 'operator',
    isOfAll: true,
  },
  export: {
    name: 'Export',
    does: 'counts and seals what was recorded, as lines to read',
    begin: 'Export',
    needs: 'operator',
  },
  schedule: {
    name: 'Schedule',
    does: 'has the partner change passes at a chosen time',
    begin: 'Schedule',
    needs: 'operator',
  },
  provision: {
    name: 'Provisioning',
    does: 'sets up at the partner what the file declares',
    begin: 'Provision',
    needs: 'operator',
    isOfAll: true,
  },
  erase: {
    name: 'Erasure',
    does: 'forgets a person for good',
    begin: 'Erase a member',
    needs: 'admin',
  },
};

/** What is done to many parked intents, each planned and counted first. A replay has a page of its own. */
const intentKinds = ['resolve', 'correct', 'cancel', 'settle', 'ask'] as const satisfies readonly JobKind[];
/** The same to many records that were set aside. */
const recordKinds = ['resubmit', 'discard'] as const satisfies readonly JobKind[];
export type RecordKind = (typeof recordKinds)[number];
export type ManyKind = (typeof intentKinds)[number] | RecordKind;
export const isRecordKind = (kind: string): kind is RecordKind => recordKinds.some((one) => one === kind);
export const isManyKind = (kind: string): kind is ManyKind =>
  isRecordKind(kind) || intentKinds.some((one) => one === kind);
/** Of what is selected among what is parked, or set aside. */
export const hasItems = (kind: JobKind): boolean => kind === 'replay' || isManyKind(kind);

/** Whether it sends what it is of, at a pace; else it goes as fast as it can. */
export const sendsItems = ({ kind, request }: Pick<Job, 'kind' | 'request'>): boolean =>
  kind === 'replay' ||
  (kind === 'correct' && request.replay === true) ||
  (kind === 'resolve' && request.as === 'not-delivered');

/** Why somebody may not begin, or see, such jobs whatever their role; null: they may. */
export function whyHidden(kind: JobKind, { limitedTo }: Pick<Me, 'limitedTo'>): string | null {
  if (limitedTo === null || jobKinds[kind].isOfAll !== true) return null;
  return `It is of all programs; your token is limited to ${limitedTo.join(', ')}.`;
}

/** Why somebody may not begin such a job; null: they may. */
export const whyNotBegun = (kind: JobKind, me: Me): string | null =>
  whyNot(me, jobKinds[kind].needs) ?? whyHidden(kind, me);

export const kindNames = Object.keys(jobKinds) as readonly JobKind[];
export const jobStates: readonly JobState[] = [
  ...(['planned', 'running', 'waiting', 'paused', 'stopped', 'failed', 'done', 'cancelled'] as const),
];

export const isKind = (text: string): text is JobKind => kindNames.some((kind) => kind === text);
export const isMoving = ({ state }: Pick<Job, 'state'>): boolean => state === 'waiting' || state === 'running';

/** Each of its items is tried, so that its plan says what would come of it; nothing is done. */
export const isTried = (job: Pick<Job, 'kind' | 'state' | 'startedAt'>): boolean =>
  job.kind === 'resubmit' && job.startedAt === null && job.state !== 'planned';

export const isEnded = ({ state }: Pick<Job, 'state'>): boolean => ['done', 'failed', 'cancelled'].includes(state);

export type JobSteering = 'pause' | 'resume' | 'cancel';

const from: Readonly<Record<JobSteering, readonly JobState[]>> = {
  pause: ['waiting', 'running'],
  resume: ['paused', 'stopped', 'failed'],
  cancel: ['planned', 'waiting', 'running', 'paused', 'stopped', 'failed'],
};

/** Why it cannot be done to a job that stands so; null: it can. */
export function whyNotSteered({ state }: Pick<Job, 'state'>, steering: JobSteering): string | null {
  return from[steering].includes(state) ? null : `It is ${state}.`;
}
