import type { Answer } from '../api/api-types.js';
import { type Intent, type IntentEvent, numberIn, parkedMeaning, textIn, timeIn } from './intent-words.js';

type Lane = Answer<'/members/{program}/{memberId}'>['lane'];
type Pause = Answer<'/pauses'>['items'][number];

/** What else decides when an intent is sent; null: not known (yet). */
export interface Surroundings {
  readonly lane: Lane | null;
  readonly pauses: readonly Pause[];
  /** Delivery has seen it fail, and lets few calls through. */
  readonly isPartnerAway: boolean;
}

/** What happens next without anybody doing anything. */
export interface Next {
  readonly tone: 'good' | 'calm' | 'doubt' | 'person' | 'quiet';
  readonly title: string;
  /** When that is; null: nobody knows, or never. */
  readonly at: string | null;
  readonly words: string | null;
  /** Where to look further. */
  readonly link: 'member' | 'pauses' | { readonly intent: string } | null;
}

type Parts = Pick<Next, 'tone' | 'title'> & Partial<Next>;
const next = (parts: Parts): Next => ({ at: null, words: null, link: null, ...parts });

/** A pause of some calls of an operation holds the lanes that it has deferred to a distant year. */
const isDeferred = (lane: Lane | null): boolean => lane !== null && (lane.dueAt ?? '') >= '3000';

/** What a factor says is of another store, member and so on; what the intent does not show may be of it. */
function mayHave({ memberId, storeId, source, eventType }: Intent, factor: string): boolean {
  const shown = { member: memberId, store: storeId, source, 'event-type': eventType };
  const at = factor.indexOf(':');
  const value = new Map(Object.entries(shown)).get(factor.slice(0, at));
  return value === undefined || value === factor.slice(at + 1);
}

const isOfPause =
  (intent: Intent, lane: Lane | null) =>
  ({ program, operation, factor }: Pause): boolean =>
    (program ?? intent.program) === intent.program &&
    (operation ?? intent.operation) === intent.operation &&
    (factor === null || (isDeferred(lane) && mayHave(intent, factor)));

/** What keeps it from being sent or looked for; undefined: nothing. */
export const pauseOf = (intent: Intent, { lane, pauses }: Pick<Surroundings, 'lane' | 'pauses'>): Pause | undefined =>
  pauses.find(isOfPause(intent, lane));

const lastOf = (intent: Intent, ...types: readonly string[]): IntentEvent | undefined =>
  intent.events.findLast(({ type }) => types.includes(type));

/** @param missing what does not happen meanwhile */
function whenPaused({ by, reason, automatic, until: end }: Pause, missing: string): Next {
  const who = automatic ? 'Delivery holds it' : `${by} paused it`;
  const lifted = end === null ? 'it is resumed' : 'its time is over';
  const until = automatic ? 'the partner serves such calls again: one is tried now and then' : lifted;
  return next({
    tone: 'person',
    at: end,
    title: `Paused: ${missing} until ${until}`,
    words: `${who}: ${reason}`,
    link: 'pauses',
  });
}

/** Before its turn in the order of its member; null: it is its turn, or nobody knows. */
function whenBehind({ id }: Intent, lane: Lane | null): Next | null {
  if (lane?.next === undefined || lane.next === null || lane.next === id) return null;
  const link = { intent: lane.next };
  if (lane.state === 'blocked') {
    return next({
      tone: 'person',
      title: 'Stands behind an intent that needs a person',
      words: 'A member’s intents go in their order, and that one holds all behind it.',
      link,
    });
  }
  return next({
    tone: 'calm',
    title: 'Comes after another intent of its member',
    words: `${lane.queued} are queued.`,
    link,
  });
}

function whenPending(intent: Intent, { lane, pauses, isPartnerAway }: Surroundings, nowMs: number): Next {
  const pause = pauseOf(intent, { lane, pauses });
  if (pause !== undefined) return whenPaused(pause, 'it is not sent');
  return whenBehind(intent, lane) ?? whenDue(intent, { lane, isPartnerAway }, nowMs);
}

/** When it is tried, as its last attempt or else its queue says; null: as soon as can be. */
function dueAtOf({ events }: Intent, lane: Lane | null): string | null {
  const last = events.at(-1);
  const retryAt = last?.type === 'AttemptNotApplied' ? timeIn(last.data, 'retryAt') : null;
  return retryAt ?? lane?.dueAt ?? null;
}

function whenDue(intent: Intent, { lane, isPartnerAway }: Omit<Surroundings, 'pauses'>, nowMs: number): Next {
  const dueAt = dueAtOf(intent, lane);
  const isLater = dueAt !== null && Date.parse(dueAt) > nowMs;
  if (isLater) return next({ tone: 'calm', title: 'Tries again', at: dueAt });
  if (isPartnerAway) {
    const words = 'Delivery tries a call now and then, and goes on by itself once the partner answers again.';
    return next({ tone: 'calm', title: 'It is due, and the partner fails', words });
  }
  const title =
    lane?.isHeld === true
      ? 'A process is working on its member: it is sent any moment'
      : 'It is due: sent as soon as it is its turn';
  return next({ tone: 'calm', title });
}

function whenWaiting(intent: Intent): Next {
  const began = lastOf(intent, 'WaitingBegan');
  const isForPurchase = (began === undefined ? intent.reason : textIn(began.data, 'for')) === 'purchase';
  return next({
    tone: 'calm',
    title: isForPurchase ? 'Waits for its purchase to be delivered' : 'Waits for the member’s pass',
    at: began === undefined ? null : timeIn(began.data, 'recheckAt'),
    words: 'It goes on as soon as that is there. If it does not come in the time that the program allows, it parks.',
    link: 'member',
  });
}

function whenUnknown(intent: Intent, surroundings: Surroundings): Next {
  const pause = pauseOf(intent, surroundings);
  if (pause !== undefined) return whenPaused(pause, 'no evidence is looked for');
  const last = lastOf(intent, 'AttemptUnknown', 'ProbeRead');
  return next({
    tone: 'doubt',
    title: 'Looks at the partner for evidence of what became of it',
    at: last === undefined ? null : timeIn(last.data, 'checkAt'),
    words:
      'Found, it is settled. Found not to be there, it is sent again where that is safe. Else it parks for a person.',
  });
}

/** After it was parked: what was refused is not what would be sent now. */
export function correctedSince({ status, events }: Pick<Intent, 'status' | 'events'>): IntentEvent | undefined {
  if (status !== 'parked') return undefined;
  const parkedAt = events.findLastIndex(({ type }) => type === 'IntentParked');
  return events.slice(parkedAt + 1).findLast(({ type }) => type === 'IntentCorrected');
}

function whenParked(intent: Intent): Next {
  const isBlocking = textIn(lastOf(intent, 'IntentParked')?.data ?? {}, 'lane') === 'block';
  const behind = isBlocking ? ' Everything behind it in its member’s queue waits.' : ' What comes after it goes on.';
  const asksMember = ['unknown-outcome', 'missing-pass', 'not-a-member'].includes(intent.reason ?? '');
  const corrected = correctedSince(intent);
  if (corrected !== undefined) {
    return next({
      tone: 'person',
      title: 'It was corrected: replay it',
      words: `By ${textIn(corrected.data, 'by') ?? 'a person'}, after it was parked.${behind}`,
    });
  }
  return next({
    tone: 'person',
    title: 'A person must look',
    words: `${parkedMeaning(intent.reason)}${behind}`,
    link: asksMember ? 'member' : null,
  });
}

function whenCancelled(intent: Intent): Next {
  const { data = {} } = lastOf(intent, 'IntentCancelled') ?? {};
  const by = textIn(data, 'by');
  const words =
    by === null
      ? null
      : `${by === 'source-event' ? 'A later record took it back' : `By ${by}`}: ${textIn(data, 'reason') ?? ''}`;
  return next({ tone: 'quiet', title: 'Nothing more: it will not be sent', words });
}

/** What an attempt under way is bounded by is a setting: only since when it runs is known. */
function whenDelivering(intent: Intent): Next {
  const begun = lastOf(intent, 'AttemptBegun');
  const attempt = begun === undefined ? null : (begun.attempt ?? numberIn(begun.data, 'attempt'));
  const words = attempt === null ? null : `Attempt ${attempt} is under way.`;
  return next({ tone: 'calm', title: 'It is being sent: the answer decides', words });
}

export function whatNext(intent: Intent, surroundings: Surroundings, nowMs: number): Next {
  switch (intent.status) {
    case 'delivered':
      return next({ tone: 'good', title: 'Nothing more: the partner has it' });
    case 'cancelled':
      return whenCancelled(intent);
    case 'parked':
      return whenParked(intent);
    case 'waiting':
      return whenWaiting(intent);
    case 'unknown':
      return whenUnknown(intent, surroundings);
    case 'delivering':
      return whenDelivering(intent);
    case 'pending':
      return whenPending(intent, surroundings, nowMs);
  }
}
