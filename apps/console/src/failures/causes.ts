import type { Answer } from '../api/api-types.js';

/** Failures with the same cause, as `GET /groups` lists them. */
export type FailureGroup = Answer<'/groups'>['items'][number];

const hourMs = 3_600_000;
const hoursShown = 24;

/** Names a group in an address. */
export function groupId({ program, operation, status, reason, code, fingerprint }: FailureGroup): string {
  return [program, operation, status, reason, code, fingerprint]
    .map((part) => encodeURIComponent(part ?? '').replaceAll('~', '%7E'))
    .join('~');
}

/** What nobody has settled by hand is refused by a replay: of these a person must say first what became of them. */
const notReplayable: Readonly<Record<string, string>> = {
  'unknown-outcome':
    'These may have taken effect: sending them again could do it twice. Look at the partner, then say what became of each.',
  erased: 'These members were erased: there is nothing left to send.',
};

/** Why a group cannot be replayed; null: it can. */
export function replayObstacle({ status, reason }: FailureGroup): string | null {
  if (status === 'unknown') return 'Evidence is still looked for: only what is parked can be replayed.';
  return notReplayable[reason ?? ''] ?? null;
}

/** Where more is said of what failed for one cause: a page below `docs/`. */
export function failurePage({ status, reason }: Pick<FailureGroup, 'status' | 'reason'>): string {
  const isInDoubt = status === 'unknown' || reason === 'unknown-outcome';
  return isInDoubt ? 'runbooks/LoyaltydUnknownParked.md' : 'runbooks/LoyaltydParkedGrowing.md';
}

type Pause = Answer<'/pauses'>['items'][number];
type PauseScope = Pick<Pause, 'program' | 'operation'> & { readonly factor?: Pause['factor'] };

/** Whether all that a group is of is paused: then nothing is sent of it, and no evidence looked for. */
export const isPaused = (
  { program, operation }: Pick<FailureGroup, 'program' | 'operation'>,
  pauses: readonly PauseScope[],
): boolean =>
  pauses.some(
    (pause) =>
      (pause.factor ?? null) === null &&
      (pause.program === null || pause.program === program) &&
      (pause.operation === null || pause.operation === operation),
  );

/** Which store or source all of a group that were looked at came from; null: they have none in common. */
function allOf(named: FailureGroup['common']['stores'], intents: number): string | null {
  const [most] = named;
  return most !== undefined && intents > 1 && most.intents === intents ? most.name : null;
}

/** `all of store hamburg`; null where they came from several, or where nobody knows. */
export function originText({ intents, common }: Pick<FailureGroup, 'intents' | 'common'>): string | null {
  const store = allOf(common.stores, common.intents);
  const source = store === null ? allOf(common.sources, common.intents) : null;
  if (store === null && source === null) return null;
  const who = intents > common.intents ? `the newest ${common.intents.toLocaleString('en')} all` : 'all';
  return store === null ? `${who} from source ${source ?? ''}` : `${who} of store ${store}`;
}

interface Explanation {
  /** In a word or three, as the head of a list. */
  readonly short: string;
  readonly meaning: string;
  /** What to do, in order. */
  readonly steps: readonly string[];
}

const replayThem = 'Then replay these: first as a dry run, which sends nothing.';

const byReason: Readonly<Record<string, Explanation>> = {
  'unknown-outcome': {
    short: 'may have taken effect',
    meaning:
      'They were sent, and no evidence could be had whether they took effect. Of an enrolment, the partner may show several passes of the member.',
    steps: [
      'Look at the partner: does it have the purchase, reward or pass of that member?',
      'Open each one and say so: "delivered" settles it, "not delivered" sends it again. A wrong "not delivered" does it twice.',
      'Many at one moment: a process was killed, or the partner broke off its answers.',
    ],
  },
  rejected: {
    short: 'refused by the partner',
    meaning: 'The partner answered, and refused them. The same refusal comes again until its cause is mended.',
    steps: [
      'Look at what the partner says, and at the example below: what was sent, and what was answered. Personal values are masked.',
      'Where the partner is configured wrong, have that mended there. Where what was sent is wrong, correct these: a mended programs file counts for what comes later only, and these keep what they were recorded with.',
      'If more keep coming, hold the store or source that they have in common, below; the operation only where they have none.',
      replayThem,
    ],
  },
  exhausted: {
    short: 'given up after many tries',
    meaning: 'The partner answered "not applied" too often, or for too long. They did not take effect.',
    steps: ['See that the partner answers again: its state stands on the screen Now.', replayThem],
  },
  'missing-pass': {
    short: 'the member got no pass',
    meaning:
      'Their members got no pass in the time that the program allows: the enrolments did not come, or are parked.',
    steps: ['Look for parked enrolments of this program, and for enrolments in the quarantine.', replayThem],
  },
  'not-a-member': {
    short: 'no member',
    meaning:
      'Sales and rewards of people who had left the program: they are not sent. Or updates and opt-outs of people who never enrolled: no card was found in time, and none is made. What they withdraw binds a card that comes later.',
    steps: [
      'See who sends them: a till that still takes an old card, a system that tells of everybody it knows.',
      'Cancel these, or replay them once the members have enrolled.',
    ],
  },
  'missing-purchase': {
    short: 'the purchase is missing',
    meaning:
      'Refunds whose purchase was cancelled, is not delivered yet, or is not known: of these those come back by themselves when their purchase is delivered to the same member.',
    steps: ['See what became of the purchase: the intent names it.', 'Replay these once the purchase is delivered.'],
  },
  'over-refund': {
    short: 'more back than was paid',
    meaning:
      'Refunds of more than is left of their receipt: each says what was sold, what came back, and what was asked.',
    steps: [
      'See whether two systems told of one return, or the sale was voided: then cancel these.',
      'Where the customer did get the money, replay them: they are sent as they are.',
    ],
  },
  expired: {
    short: 'not sent in time',
    meaning: 'Rewards that were good until a certain time, and were not sent by then. None of them is there.',
    steps: [
      'Find out what held them up: an outage, a pause, a member without a card.',
      'Cancel them. To give one all the same, correct its validUntil, or have it granted anew.',
    ],
  },
  held: {
    short: 'held, and let pass',
    meaning:
      'Sales and rewards whose calls are held: by a person, or because the partner fails them all. Their members’ other work goes on without them.',
    steps: [
      'See what is held, and why: the pauses stand on the screen Now. Mend that, or resume it.',
      'Do nothing else: they come back by themselves, in their order.',
    ],
  },
  conflict: {
    short: 'two records contradict each other',
    meaning:
      'A void or revocation came before they were sent, and names another member or another total; or it came too late, with another total than was paid.',
    steps: [
      'Ask the producer which of the two records is right: the last event of each intent names the other one.',
      'Replay it, or cancel it.',
    ],
  },
  unroutable: {
    short: 'no call can carry it',
    meaning: 'The partner has no call for this: an opt-out without an update workflow, or a revocation that came late.',
    steps: [
      'Complete the program in the programs file, if it should be possible.',
      'Then replay these; else do it at the partner by hand and cancel them.',
    ],
  },
  merged: {
    short: 'members were merged',
    meaning: 'No call at the partner merges two members.',
    steps: ['Merge them at the partner by hand, then settle or cancel the intents.'],
  },
  'card-replaced': {
    short: 'a lost card was replaced',
    meaning:
      'A card was gone at the partner, and another one was made in its place: each says how much was on the lost one, as far as we sent it.',
    steps: [
      'Ask the partner what became of the cards: perhaps they come back with all that was on them.',
      'Put what is missing on the new cards there by hand, then settle these as delivered, or cancel them.',
    ],
  },
  'not-delivered': {
    short: 'the partner does not have it',
    meaning:
      'It was in doubt, and by the partner’s list it is not there. Nothing is in doubt any more, and nothing was sent since.',
    steps: ['Replay these to have them sent, or cancel them.'],
  },
  erased: {
    short: 'the member was erased',
    meaning: 'The member was forgotten. It may have taken effect before, or can no longer be opened.',
    steps: ['Nothing can be sent any more. Settle or cancel it.'],
  },
};

const unknownOutcome: Explanation = {
  short: 'outcome not known yet',
  meaning:
    'They were sent, and it is not known yet whether they took effect. Evidence is looked for; what comes later for the same members waits.',
  steps: [
    'For some minutes: nothing. They settle by themselves, or park as "may have taken effect".',
    'For longer than half an hour: is the partner away, is the operation paused, does a process deliver? The screen Now says so.',
  ],
};

const pausedUnknown: Explanation = {
  short: unknownOutcome.short,
  meaning:
    'They were sent, and it is not known yet whether they took effect. They are paused: no evidence is looked for, and what comes later for the same members waits.',
  steps: [
    'See on the screen Pauses who paused it, and why. As long as it is paused they stand as they are.',
    'Once it is resumed they settle by themselves within minutes, or park as "may have taken effect".',
  ],
};

const other: Explanation = {
  short: 'needs a person',
  meaning: 'They were set aside, and wait for a person.',
  steps: ['Open one and read its last events.', replayThem],
};

/** What a group's cause means, and what to do about it. */
export function explain(
  { status, reason }: Pick<FailureGroup, 'status' | 'reason'>,
  { isPaused: isHeld = false }: { readonly isPaused?: boolean } = {},
): Explanation {
  if (status === 'unknown') return isHeld ? pausedUnknown : unknownOutcome;
  return byReason[reason ?? ''] ?? { ...other, short: reason ?? other.short };
}

/** How many came in each of the last 24 hours, the oldest first; the last one is the hour that runs. */
export function arrivalsByHour({ hours }: Pick<FailureGroup, 'hours'>, nowMs: number): readonly number[] {
  const running = Math.floor(nowMs / hourMs);
  const byHour = new Map(hours.map(({ at, intents }) => [Math.floor(Date.parse(at) / hourMs), intents]));
  return Array.from({ length: hoursShown }, (_none, index) => byHour.get(running - hoursShown + 1 + index) ?? 0);
}

/** The last row of hours in which something came, without a gap: how many, and since when (the group's own first, where known). */
export function latestRun({
  hours,
  firstAt,
}: Pick<FailureGroup, 'hours' | 'firstAt'>): { readonly since: string; readonly intents: number } | null {
  const sorted = hours.toSorted((one, two) => Date.parse(two.at) - Date.parse(one.at));
  const gap = sorted.findIndex(({ at }, index) => {
    const later = sorted[index - 1];
    return later !== undefined && Date.parse(later.at) - Date.parse(at) > hourMs;
  });
  const run = gap === -1 ? sorted : sorted.slice(0, gap);
  const begin = run.at(-1);
  if (begin === undefined) return null;
  const isFirst = Date.parse(firstAt) >= Date.parse(begin.at);
  return { since: isFirst ? firstAt : begin.at, intents: run.reduce((sum, { intents }) => sum + intents, 0) };
}

interface GroupFilters {
  readonly program?: string | undefined;
  readonly status?: string | undefined;
}

/** Those that a screen's filters let through. */
export function filterGroups(groups: readonly FailureGroup[], filters: GroupFilters): readonly FailureGroup[] {
  const { program, status } = filters;
  return groups.filter(
    (group) =>
      (program === undefined || group.program === program) && (status === undefined || group.status === status),
  );
}
