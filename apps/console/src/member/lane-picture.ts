import type { Answer } from '../api/api-types.js';
import { capital, operationName } from '../components/operation-words.js';
import { durationText } from '../components/time-words.js';

export type Member = Answer<'/members/{program}/{memberId}'>;
export type MemberIntent = Member['intents'][number];
type SeenMember = Pick<Member, 'lane' | 'intents' | 'isErased'>;

/** Why nothing behind it goes. */
export interface Holdup {
  /** `stuck`: until a person does something. */
  readonly tone: 'busy' | 'waits' | 'stuck';
  readonly title: string;
  readonly meaning: string;
  /** Which one that is; null where it is older than what is shown. */
  readonly intent: string | null;
}

/** What a person must look at beside the queue. */
interface Aside {
  readonly title: string;
  readonly meaning: string;
}

/** One member's queue, from the oldest to the newest. */
export interface LanePicture {
  /** Delivered or cancelled, as far as they are shown. */
  readonly settled: readonly MemberIntent[];
  /** Older than what is shown, however they stand. */
  readonly older: number;
  readonly underWay: readonly MemberIntent[];
  readonly waiting: readonly MemberIntent[];
  /** Queued, and not shown. */
  readonly alsoWaiting: number;
  /** Parked, while the queue has gone on. */
  readonly aside: readonly MemberIntent[];
  readonly holdup: Holdup | null;
}

const waitsFor: Readonly<Record<string, string>> = {
  pass: 'It waits for the member’s pass: no enrolment has brought one yet.',
  purchase: 'It waits for the purchase that it goes after.',
};

/** While its operation is paused, a lane is due in a distant year. */
const farMs = 365 * 86_400_000;
const isPaused = ({ dueAt }: Member['lane'], nowMs: number): boolean =>
  dueAt !== null && Date.parse(dueAt) - nowMs > farMs;

/** When it is looked at again, or that it is due now. */
function dueText({ dueAt }: Member['lane'], nowMs: number): string {
  if (dueAt === null) return '';
  const ms = Date.parse(dueAt) - nowMs;
  if (ms > farMs) return ' It is paused: it rests until somebody resumes the operation or the program.';
  return ms < 1_000 ? ' It is due now.' : ` It is looked at again in ${durationText(ms)}.`;
}

/** `purchase 2`: the second thing of its member, which is a purchase. */
export function intentName({ operation, seq }: Pick<MemberIntent, 'operation' | 'seq'>): string {
  return `${operationName(operation, 1)} ${seq.toLocaleString('en')}`;
}

const nameOf = (intent: MemberIntent | null): string => (intent === null ? 'the next one' : intentName(intent));

interface Head {
  readonly lane: Member['lane'];
  /** The one that comes next; null where it is not shown. */
  readonly intent: MemberIntent | null;
  readonly nowMs: number;
}

function blocked({ lane, intent }: Head): Holdup {
  const why = intent?.reason ?? intent?.code ?? null;
  return {
    tone: 'stuck',
    title: `${capital(nameOf(intent))} is parked and blocks the queue`,
    meaning: `${why === null ? '' : `Parked: ${why}. `}Everything behind it waits until a person replays, corrects, resolves or cancels it.`,
    intent: lane.next,
  };
}

function underWayOf({ lane, intent, nowMs }: Head): Holdup {
  if (intent?.status === 'unknown') {
    const evidence = isPaused(lane, nowMs) ? 'no evidence is looked for' : 'evidence is looked for';
    return {
      tone: 'waits',
      title: `Nobody knows yet whether ${nameOf(intent)} took effect`,
      meaning: `It was sent${intent.code === null ? '' : ` (${intent.code})`}, and ${evidence}. What comes later waits for it.${dueText(lane, nowMs)}`,
      intent: lane.next,
    };
  }
  const meaning = lane.isHeld ? 'A process is working on it.' : 'An attempt was begun.';
  return { tone: 'busy', title: `${capital(nameOf(intent))} is being sent`, meaning, intent: lane.next };
}

function waitingOf({ lane, intent, nowMs }: Head): Holdup {
  return {
    tone: 'waits',
    title: `${capital(nameOf(intent))} waits`,
    meaning: `${waitsFor[intent?.reason ?? ''] ?? 'It waits for something else of this member.'}${dueText(lane, nowMs)}`,
    intent: lane.next,
  };
}

function goingOn({ lane, intent, nowMs }: Head): Holdup {
  const name = capital(nameOf(intent));
  const about = { tone: 'waits', intent: lane.next } as const;
  if (isPaused(lane, nowMs)) {
    const meaning = 'It rests until somebody resumes its operation or its program: see Pauses.';
    return { ...about, title: `${name} is paused`, meaning };
  }
  if (lane.dueAt !== null && Date.parse(lane.dueAt) - nowMs >= 1_000) {
    const meaning = `The last attempt did not take effect, or the program rests.${dueText(lane, nowMs)}`;
    return { ...about, title: `${name} will be tried again`, meaning };
  }
  const meaning = lane.isHeld ? 'A process is working on it.' : 'It goes when its turn comes.';
  return { ...about, tone: 'busy', title: `${name} goes next`, meaning };
}

/** What holds the queue up; null where nothing is left to send. */
function holdupOf(head: Head): Holdup | null {
  const { lane, intent } = head;
  if (lane.next === null) return null;
  if (lane.state === 'blocked') return blocked(head);
  if (intent?.status === 'delivering' || intent?.status === 'unknown') return underWayOf(head);
  return lane.state === 'waiting' ? waitingOf(head) : goingOn(head);
}

/** The queue may be at rest, and the member short of something all the same. */
export function asideText({ aside, holdup }: Pick<LanePicture, 'aside' | 'holdup'>): Aside | null {
  const count = aside.length;
  if (count === 0) return null;
  const [is, needs] = count === 1 ? ['1 intent is', 'needs'] : [`${count.toLocaleString('en')} intents are`, 'need'];
  const others = holdup === null ? 'Nothing else is left to send' : 'The queue goes on';
  return {
    title: `${is} parked beside the queue, and ${needs} a person`,
    meaning: `${others}: what came later did not wait for ${count === 1 ? 'it' : 'them'}. Until a person acts, the member may lack what ${count === 1 ? 'it stands' : 'they stand'} for.`,
  };
}

const isOf =
  (...statuses: readonly MemberIntent['status'][]) =>
  ({ status }: MemberIntent): boolean =>
    statuses.includes(status);

/** The queue as a picture, out of what the API says of a member. */
export function lanePicture({ lane, intents }: SeenMember, nowMs: number): LanePicture {
  const inOrder = intents.toSorted((one, two) => one.seq - two.seq);
  const isBlocker = ({ id }: MemberIntent): boolean => lane.state === 'blocked' && id === lane.next;
  const waiting = inOrder.filter((intent) => isBlocker(intent) || isOf('waiting', 'pending')(intent));
  const underWay = inOrder.filter(isOf('delivering', 'unknown'));
  const shown = waiting.length + underWay.length;
  const intent = inOrder.find(({ id }) => id === lane.next) ?? null;
  return {
    settled: inOrder.filter(isOf('delivered', 'cancelled')),
    older: Math.max(0, (inOrder[0]?.seq ?? 1) - 1),
    underWay,
    waiting,
    alsoWaiting: Math.max(0, lane.queued - shown),
    aside: inOrder.filter((one) => one.status === 'parked' && !isBlocker(one)),
    holdup: holdupOf({ lane, intent, nowMs }),
  };
}
