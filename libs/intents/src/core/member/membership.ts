/** Since when somebody is a member or not, by the time at which things happened, epoch ms; not by when they were read. */
export interface Membership {
  /** The last leaving of the program; null: none is known. */
  readonly leftAt: number | null;
  /** The first enrolment after that; null: the member has not come back. */
  readonly backAt: number | null;
  /** The last enrolment; null: none is known. */
  readonly enrolledAt: number | null;
  /** When the member was erased last; null: never. */
  readonly erasedAt: number | null;
  /** The first enrolment after that, with which another member begins under the same id; null: there was none. */
  readonly bornAt: number | null;
  /** The member id of the program in which this one lives on; null: in none. */
  readonly mergedInto: string | null;
  /** When that was said last, taken back since or not; null: never. */
  readonly mergedAt: number | null;
  /** Whom the member was last said not to live on in; null: nobody. */
  readonly undoneFrom: string | null;
  /** When that was said; null: never. */
  readonly undoneAt: number | null;
}

/** `at`: when it happened, epoch ms; at the latest when it was received. */
export type MembershipEvent =
  | { readonly type: 'MemberEnrolled' | 'MemberLeft' | 'MemberErased'; readonly at: number }
  | { readonly type: 'MemberMerged'; readonly at: number; readonly into: string }
  | { readonly type: 'MemberUnmerged'; readonly at: number; readonly from: string };

export const unknownMembership: Membership = {
  ...{ leftAt: null, backAt: null, enrolledAt: null },
  ...{ erasedAt: null, bornAt: null },
  ...{ mergedInto: null, mergedAt: null },
  ...{ undoneFrom: null, undoneAt: null },
};

/**
 * In whatever order events are read, the same are the last leaving, the last enrolment, whether the member has left and in whom it
 * lives on. An erasure forgets all that was read before it.
 */
export function evolveMembership(state: Membership, event: MembershipEvent): Membership {
  const { at } = event;
  switch (event.type) {
    case 'MemberLeft':
      return left(state, at);
    case 'MemberEnrolled':
      return isBeforeErasure(state, at) ? state : enrolled(state, at);
    case 'MemberErased':
      return { ...unknownMembership, leftAt: at, erasedAt: at };
    case 'MemberMerged':
      return merged(state, at, event.into);
    case 'MemberUnmerged':
      return unmerged(state, at, event.from);
  }
}

const isBefore = (at: number, said: number | null): boolean => said !== null && at < said;

/** Who is erased lives on in nobody. */
const isForgotten = (state: Membership, at: number): boolean => isErased(state) || isBeforeErasure(state, at);

/** The last merge counts, unless a later event has taken it back. */
function merged(state: Membership, at: number, into: string): Membership {
  if (isForgotten(state, at) || isBefore(at, state.mergedAt)) return state;
  const isUndone = state.undoneFrom === into && isBefore(at, state.undoneAt);
  return { ...state, mergedInto: isUndone ? null : into, mergedAt: at };
}

/** Remembered also where the merge that it takes back is not known yet. */
function unmerged(state: Membership, at: number, from: string): Membership {
  if (isForgotten(state, at) || isBefore(at, state.undoneAt)) return state;
  const takesBack = state.mergedInto === from && !isBefore(at, state.mergedAt);
  return { ...state, mergedInto: takesBack ? null : state.mergedInto, undoneFrom: from, undoneAt: at };
}

/** What happened before its member was erased brings nobody back. */
export function isBeforeErasure({ erasedAt }: Membership, at: number): boolean {
  return erasedAt !== null && at < erasedAt;
}

function left(state: Membership, at: number): Membership {
  if (state.leftAt !== null && at <= state.leftAt) return state;
  const { backAt, enrolledAt } = state;
  const isBefore = (time: number | null): boolean => time === null || time <= at;
  if (!isBefore(backAt)) return { ...state, leftAt: at };
  return { ...state, leftAt: at, backAt: isBefore(enrolledAt) ? null : enrolledAt };
}

function enrolled(state: Membership, at: number): Membership {
  const enrolledAt = Math.max(state.enrolledAt ?? -Infinity, at);
  // What is told in the same millisecond as an erasure was told after it.
  const isAfterLeaving = state.leftAt !== null && (at > state.leftAt || state.leftAt === state.erasedAt);
  const backAt = isAfterLeaving ? Math.min(state.backAt ?? Infinity, at) : state.backAt;
  const bornAt = state.erasedAt === null ? null : Math.min(state.bornAt ?? Infinity, at);
  return { ...state, enrolledAt, backAt, bornAt };
}

/** Who has left, and not come back. */
export function hasLeft({ leftAt, backAt }: Membership): boolean {
  return leftAt !== null && backAt === null;
}

/** What is to be sent for a member: a sale, a refund, a reward, or what takes one of them back. */
export interface MembersDue {
  /** When it happened, epoch ms. */
  readonly at: number;
  /** It is not read from its topic now, but comes by a person's word: taken in from quarantine, replayed. */
  readonly isLate: boolean;
}

/** Who has never left, was never erased and lives on in nobody else: what is told of them is theirs, and sent. */
export function isOrdinary({ leftAt, erasedAt, mergedInto }: Membership): boolean {
  return leftAt === null && erasedAt === null && mergedInto === null;
}

/** Who was erased, and has not enrolled since. */
export function isErased({ erasedAt, bornAt }: Membership): boolean {
  return erasedAt !== null && bornAt === null;
}

/** `send`, or why not. */
export type MembershipDecision = 'send' | 'not-a-member' | 'erased';

/**
 * Whether something may go to the partner for its member: what happened between a leaving and the coming back never, what
 * happened before it only as long as nobody brings it again after it. Nothing of whom an erasure has forgotten.
 */
export function decideMembership(state: Membership, { at, isLate }: MembersDue): MembershipDecision {
  if (state.erasedAt !== null && at < (state.bornAt ?? Infinity)) return 'erased';
  if (isLate && hasLeft(state)) return 'not-a-member';
  const { leftAt, backAt } = state;
  const isAway = leftAt !== null && at > leftAt && at < (backAt ?? Infinity);
  return isAway ? 'not-a-member' : 'send';
}
