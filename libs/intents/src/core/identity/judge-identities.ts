/** Where an identity was first recorded; null for one that led to no intent. */
export interface IdentityPlace {
  readonly laneId: number;
  readonly seq: number;
}

/** An identity already known, and where it lives. */
export interface KnownIdentity {
  /** Keyed digest of its content (hex), an enrolment's of its last; null: forgotten, with the person who said it. */
  readonly contentMac: string | null;
  readonly place: IdentityPlace | null;
}

/** What a record claims to be: its event and, where it has one, its business key (hex digests). */
export interface ClaimedIdentity {
  readonly event: { readonly key: string; readonly contentMac: string };
  readonly business: { readonly key: string; readonly contentMac: string; readonly isEnrolment: boolean } | null;
  /** Another number that it is known by; absent: none. */
  readonly alias?: {
    readonly key: string;
    readonly contentMac: string;
    /** The same number of those whom its member has absorbed: what one of them has is the member's. */
    readonly ofAbsorbed: readonly string[];
  };
  /** Business keys of what it takes back; absent: of nothing. */
  readonly takesBack?: readonly string[];
}

/** What to make of a record (contracts.md section 1, Identity). */
export type IdentityVerdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'duplicate-event' }
  /** `isByAlias`: under a number of its own, which is not known yet. */
  | { readonly kind: 'duplicate-business-key'; readonly of: IdentityPlace | null; readonly isByAlias?: true }
  /**
   * `of`: what has the number. `other-day`: a sale of another day. `void-before-sale`: a void that is older than what it names.
   * `number-in-quarantine`: it takes back under a number of which another sale, refund or grant lies in quarantine, and may mean that.
   */
  | {
      readonly kind: 'conflict';
      readonly detail: 'event' | 'business-key' | 'other-day' | 'void-before-sale' | 'number-in-quarantine';
      readonly of: IdentityPlace | null;
    }
  /**
   * Rung up again: a sale under the number of one that was voided in time, and after that void; `isByAlias`: a return under the
   * `returnId` of one, or granted again what its member gets once, after that expired or was taken back. Its time decides.
   * `isUnsettled`: what takes the first one back is not there yet, or whether that was given before its time was over is not known.
   */
  | {
      readonly kind: 'sold-again';
      readonly of: IdentityPlace;
      readonly isByAlias?: true;
      readonly isUnsettled?: true;
    }
  /**
   * Another event under the number of somebody who is erased, or that takes back what is theirs. Whether it is the same told
   * again nothing can tell: it is neither ignored nor taken, and what it says is not kept.
   */
  | { readonly kind: 'forgotten' }
  /** The member enrols again with other content: a correction or an update, which its progress decides. */
  | { readonly kind: 'enrolment-changed'; readonly of: IdentityPlace | null };

function judge(identity: ClaimedIdentity, known: ReadonlyMap<string, KnownIdentity>): IdentityVerdict {
  const { event, business, takesBack = [] } = identity;
  const sameEvent = known.get(event.key);
  if (sameEvent !== undefined) {
    return isSaid(sameEvent, event) ? { kind: 'duplicate-event' } : { kind: 'conflict', detail: 'event', of: null };
  }
  if (takesBack.some((key) => known.get(key)?.contentMac === null)) return { kind: 'forgotten' };
  const sameBusiness = business === null ? undefined : known.get(business.key);
  if (business !== null && sameBusiness !== undefined) return judgeAgain(business, sameBusiness);
  return judgeAlias(identity, known);
}

/** Of whom an erasure has forgotten nothing is the member's. */
function ofAbsorbed(keys: readonly string[], known: ReadonlyMap<string, KnownIdentity>): KnownIdentity | undefined {
  return keys.map((key) => known.get(key)).find((same) => same !== undefined && same.contentMac !== null);
}

function judgeAlias({ alias }: ClaimedIdentity, known: ReadonlyMap<string, KnownIdentity>): IdentityVerdict {
  if (alias === undefined) return { kind: 'new' };
  const same = known.get(alias.key) ?? ofAbsorbed(alias.ofAbsorbed, known);
  if (same === undefined) return { kind: 'new' };
  const verdict = judgeAgain({ ...alias, isEnrolment: false }, same);
  return verdict.kind === 'duplicate-business-key' ? { ...verdict, isByAlias: true } : verdict;
}

/** Another event under a known business key. */
function judgeAgain(business: NonNullable<ClaimedIdentity['business']>, known: KnownIdentity): IdentityVerdict {
  const of = known.place;
  // A member's own id is no number: what of theirs is older than the erasure is told by its time.
  if (known.contentMac === null && !business.isEnrolment) return { kind: 'forgotten' };
  if (isSaid(known, business)) return { kind: 'duplicate-business-key', of };
  return business.isEnrolment ? { kind: 'enrolment-changed', of } : { kind: 'conflict', detail: 'business-key', of };
}

function isSaid({ contentMac }: KnownIdentity, claimed: { readonly contentMac: string }): boolean {
  return contentMac === null || contentMac === claimed.contentMac;
}

const leavesNothing: ReadonlySet<IdentityVerdict['kind']> = new Set(['conflict', 'forgotten', 'duplicate-event']);

/**
 * Judges the records of one batch in order, against what the database knows and against each other.
 * A conflicting record leaves no identity behind, so that a corrected resend is accepted.
 */
export function judgeIdentities(
  identities: readonly ClaimedIdentity[],
  stored: ReadonlyMap<string, KnownIdentity>,
): IdentityVerdict[] {
  const known = new Map(stored);
  return identities.map((identity) => {
    const verdict = judge(identity, known);
    const { event, business, alias } = identity;
    if (leavesNothing.has(verdict.kind)) return verdict;
    known.set(event.key, { contentMac: event.contentMac, place: null });
    if (business !== null && (verdict.kind === 'new' || verdict.kind === 'enrolment-changed')) {
      const place = verdict.kind === 'new' ? null : verdict.of;
      known.set(business.key, { contentMac: business.contentMac, place });
      if (alias !== undefined) known.set(alias.key, { contentMac: alias.contentMac, place: null });
    } else if (business !== null && verdict.kind === 'duplicate-business-key' && verdict.isByAlias === true) {
      // From now on it is known under this number, too.
      known.set(business.key, { contentMac: business.contentMac, place: verdict.of });
    }
    return verdict;
  });
}
