import { operationAction } from '../components/operation-words.js';
import { absoluteTextWithZone, shortDurationText } from '../components/time-words.js';
import { shortHash } from '../settings/programs-words.js';
import { type Attempt, codeText, type Intent, type IntentEvent, numberIn, textIn } from './intent-words.js';

/** How a point of the story is drawn. */
export type Tone = 'source' | 'calm' | 'good' | 'bad' | 'doubt' | 'person';

/** One point of an intent's story. */
export interface Moment {
  readonly key: string;
  readonly tone: Tone;
  readonly title: string;
  readonly words: string | null;
  readonly at: string;
  /** Since the end of the point before; null of the first. */
  readonly afterMs: number | null;
  /** What somebody gave as the reason. */
  readonly said: { readonly by: string; readonly reason: string } | null;
  readonly attempt: Attempt | null;
  /** What was kept with it, and is not the attempt's request and answer. */
  readonly evidence: unknown;
}

/** What the story depends on beside the intent. */
interface Seen {
  readonly timeZone: 'local' | 'utc';
  /** Its operation or program is paused: nothing is sent or looked for. */
  readonly isPaused: boolean;
}

type Draft = Omit<Moment, 'afterMs'> & { readonly endsAt: string };
type Words = readonly [tone: Tone, title: string, words?: string | null];

const outcomeTypes: ReadonlySet<string> = new Set([
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
]);

const evidenceWords: Readonly<Record<string, string>> = {
  'pass-found': 'The partner shows the member’s pass.',
  'as-wanted': 'The pass is as it was to become, and was not before.',
  'duplicate-refusal': 'The partner refused it because it has one with that value already.',
  points: 'The points moved by what it adds, and by nothing else.',
  'late-outcome': 'A process that had lost its turn reported the answer late.',
  'answer-reread': 'The answer that was kept was read again, and proves it.',
  'lookup-and-listing': 'Neither a look-up nor the listing shows it.',
};

const evidenceText = (event: IntentEvent): string | null => {
  const evidence = textIn(event.data, 'evidence');
  return evidence === null ? null : (evidenceWords[evidence] ?? evidence);
};

function waitingWords({ data }: IntentEvent): Words {
  return ['calm', textIn(data, 'for') === 'purchase' ? 'Waits for its purchase' : 'Waits for the member’s pass'];
}

function overtakenWords({ data }: IntentEvent): string | null {
  const overtaken = numberIn(data, 'overtaken') ?? 0;
  return overtaken === 0 ? null : `${overtaken} later intents of its member had been settled before.`;
}

const wordsByType: Readonly<Record<string, (event: IntentEvent) => Words>> = {
  WaitingBegan: waitingWords,
  IntentReleased: () => ['calm', 'Waits no longer'],
  PassFound: () => ['calm', 'The member’s pass was found'],
  PassAbsent: () => ['calm', 'Looked for the member’s pass', 'The partner shows none.'],
  PassAdopted: () => ['calm', 'The member’s pass was taken over'],
  AttemptUnknown: ({ data }) => [
    'doubt',
    'Nobody knows whether it took effect',
    numberIn(data, 'checkAt') === null ? null : 'Evidence had to be looked for.',
  ],
  ProbeRead: ({ data }) => ['doubt', 'Looked at the points', `The pass shows ${numberIn(data, 'points') ?? '?'}.`],
  ResendDecided: ({ data }) => [
    'calm',
    'It may be sent again',
    textIn(data, 'basis') === 'policy'
      ? 'The programs file allows it: at least once.'
      : 'The partner refuses a second one with the same value.',
  ],
  VerifiedApplied: (event) => ['good', 'Evidence: it took effect', evidenceText(event)],
  VerifiedAbsent: (event) => ['calm', 'Evidence: it did not take effect', evidenceText(event)],
  LateOutcome: ({ data }) => [
    'doubt',
    'An answer came late',
    [textIn(data, 'outcome'), textIn(data, 'code')].filter((part) => part !== null).join(', '),
  ],
  IntentParked: ({ data }) => {
    const awaits = textIn(data, 'awaits');
    const behind = awaits === null ? '' : `, behind ${awaits}, which is parked: decide on that`;
    if (textIn(data, 'reason') === 'held') return ['calm', `Stepped aside: ${heldWords(data)}`];
    return ['bad', `Parked: ${textIn(data, 'reason') ?? 'a person must look'}${behind}`];
  },
  IntentReplayed: (event) => ['person', 'Replayed: put back to be sent once more', overtakenWords(event)],
  IntentCorrected: ({ data }) => {
    if (textIn(data, 'by') !== 'loyaltyd') return ['person', 'Corrected: its content was changed'];
    if (textIn(data, 'reason') === 'what-is-left') return ['calm', 'It takes what is left of its sale by now'];
    return ['calm', 'Planned anew by the programs file of then: nothing of it had taken effect'];
  },
  IntentReissued: (event) => ['person', 'Issued again: its pass was gone at the partner', overtakenWords(event)],
  IntentResolved: ({ data }) => ['person', `Resolved as ${textIn(data, 'as') ?? 'settled'}`],
  CancelRequested: () => ['person', 'A later record takes it back'],
  IntentCancelled: () => ['person', 'Cancelled: it will not be sent'],
};

function heldWords(data: IntentEvent['data']): string {
  const heldBy = textIn(data, 'heldBy');
  return heldBy === null ? `goes after ${textIn(data, 'awaits') ?? 'a sale'}, which is held` : `${heldBy} is held`;
}

function recordOf({ data }: IntentEvent): string | null {
  const { topic, partition, offset } = (data.cause ?? {}) as Readonly<Record<string, unknown>>;
  return typeof topic === 'string' ? `The record ${topic}/${String(partition)}@${String(offset)}.` : null;
}

function saidIn({ data }: IntentEvent): Moment['said'] {
  const [by, reason] = [textIn(data, 'by'), textIn(data, 'reason')];
  return by === null ? null : { by, reason: reason ?? '' };
}

/** Of the doubt that is looked into at this moment, unless it is paused. */
function lookedForText({ status, events }: Intent, event: IntentEvent, isPaused: boolean): string | null {
  const last = events.findLast(({ type }) => type === 'AttemptUnknown');
  if (status !== 'unknown' || last !== event || numberIn(event.data, 'checkAt') === null) return null;
  return isPaused ? 'It is paused: no evidence is looked for.' : 'Evidence is looked for.';
}

function ofEvent(event: IntentEvent): Draft {
  const [tone, title, words = null] = wordsByType[event.type]?.(event) ?? (['calm', event.type] as const);
  // Of an unknown outcome the attempt shows the request and what came back.
  const evidence = event.type === 'AttemptUnknown' ? null : event.evidence;
  return {
    ...{ key: `${event.version}`, tone, title, evidence, attempt: null, said: saidIn(event) },
    words: [words, recordOf(event)].filter((part) => part !== null && part !== '').join(' ') || null,
    ...{ at: event.at, endsAt: event.at },
  };
}

const attemptWords: Readonly<Record<string, readonly [Tone, string]>> = {
  AttemptApplied: ['good', 'The partner took it'],
  AttemptRejected: ['bad', 'The partner refused it'],
  AttemptNotApplied: ['bad', 'It did not take effect'],
  AttemptUnknown: ['doubt', 'No answer that proves anything'],
};

function ofAttempt(attempt: Attempt, event: IntentEvent): Draft {
  const [tone, words] = attemptWords[attempt.outcome ?? ''] ?? (['calm', 'It is under way'] as const);
  const code = codeText(attempt.code);
  return {
    ...{ key: `attempt-${attempt.attempt}-${event.version}`, tone, attempt, evidence: null, said: null },
    title: `Attempt ${attempt.attempt}`,
    words: `${words}${code === null ? '' : `: ${code}`}.`,
    at: attempt.begunAt ?? event.at,
    endsAt: attempt.endedAt ?? event.at,
  };
}

function ofDoubt(intent: Intent, event: IntentEvent, isPaused: boolean): Draft {
  const draft = ofEvent(event);
  return { ...draft, words: lookedForText(intent, event, isPaused) ?? draft.words };
}

/** The points that an event makes: an attempt is one from its begin to its outcome, and an unknown one leaves a doubt. */
function ofHistory(intent: Intent, event: IntentEvent, isPaused: boolean): readonly Draft[] {
  const isOutcome = outcomeTypes.has(event.type);
  if (event.type !== 'AttemptBegun' && !isOutcome) return [ofEvent(event)];
  const attempt = intent.attempts.find((one) => one.attempt === event.attempt);
  const doubt = event.type === 'AttemptUnknown' ? [ofDoubt(intent, event, isPaused)] : [];
  if (attempt === undefined) return isOutcome ? [ofDoubt(intent, event, isPaused)] : [];
  const isShownHere = event.type === 'AttemptBegun' || attempt.begunAt === null;
  return [...(isShownHere ? [ofAttempt(attempt, event)] : []), ...doubt];
}

const secondMs = 1_000;

/** To the millisecond, as the times of the story, beside how long after the event that was. */
function brokerText(brokerAt: string, occurredAt: string, timeZone: Seen['timeZone']): string {
  const atMs = Date.parse(brokerAt);
  const exact = absoluteTextWithZone(atMs, timeZone).replace(
    /\d\d:\d\d:\d\d/,
    (time) => `${time}.${`${atMs % secondMs}`.padStart(3, '0')}`,
  );
  const afterMs = atMs - Date.parse(occurredAt);
  const after =
    afterMs < 0 ? 'before the event says that it happened' : `${shortDurationText(afterMs)} after it happened`;
  return `${exact}, ${after}`;
}

function routeWords({ route: { rule, programsHash, isInForce }, program, operation }: Intent): string {
  const by = rule === null ? `by the program ${program}` : `by programs.${program}.${rule}`;
  const file = `in the programs file ${shortHash(programsHash)}`;
  const isOld = isInForce ? '' : ' Another file is in force now: what was routed keeps what this one said.';
  return `${by} ${file}: ${operationAction(operation)} (${operation}).${isOld}`.replace(/^b/, 'B');
}

function beginningOf(intent: Intent, timeZone: Seen['timeZone']): readonly Draft[] {
  const { eventType, source, occurredAt, recordedAt, cause, route } = intent;
  const plain = { tone: 'source', attempt: null, evidence: null, said: null } as const;
  return [
    {
      ...plain,
      key: 'occurred',
      title: eventType,
      words: `Happened${source === null ? '' : ` at ${source}`}.`,
      ...{ at: occurredAt, endsAt: occurredAt },
    },
    {
      ...plain,
      key: 'recorded',
      title: `Recorded from ${cause.topic}/${cause.partition}@${cause.offset}`,
      words: `The broker has it since ${brokerText(route.brokerAt, occurredAt, timeZone)}.`,
      ...{ at: recordedAt, endsAt: recordedAt },
    },
    {
      ...plain,
      key: 'routed',
      title: 'Routed',
      words: routeWords(intent),
      ...{ at: recordedAt, endsAt: recordedAt },
    },
  ];
}

/** Everything that happened to an intent, in its order, with the time between. */
export function storyOf(intent: Intent, { timeZone, isPaused }: Seen): readonly Moment[] {
  const drafts = [
    ...beginningOf(intent, timeZone),
    ...intent.events.flatMap((event) => ofHistory(intent, event, isPaused)),
  ];
  return drafts.map(({ endsAt: _endsAt, ...draft }, index) => {
    const before = drafts[index - 1];
    const afterMs = before === undefined ? null : Math.max(0, Date.parse(draft.at) - Date.parse(before.endsAt));
    return { ...draft, afterMs };
  });
}
