/** Where an identity was first recorded; null for one that led to no intent. */
export interface IdentityPlace {
  readonly laneId: number;
  readonly seq: number;
}

/** An identity already known, and where it lives. */
export interface KnownIdentity {
  /** Keyed digest of its content (hex), an enrolment's of its last; null: forgotten, so that nothing contradicts it. */
  readonly contentMac: string | null;
  readonly place: IdentityPlace | null;
}

/** What a record claims to be: its event and, where it has one, its business key (hex digests). */
export interface ClaimedIdentity {
  readonly event: { readonly key: string; readonly contentMac: string };
  readonly business: { readonly key: string; readonly contentMac: string; readonly isEnrolment: boolean } | null;
}

/** What to make of a record (contracts.md section 1, Identity). */
export type IdentityVerdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'duplicate-event' }
  | { readonly kind: 'duplicate-business-key'; readonly of: IdentityPlace | null }
  | { readonly kind: 'conflict'; readonly detail: 'event' | 'business-key' }
  /** The member enrols again with other content: a correction or an update, which its progress decides. */
  | { readonly kind: 'enrolment-changed'; readonly of: IdentityPlace | null };

function judge(identity: ClaimedIdentity, known: ReadonlyMap<string, KnownIdentity>): IdentityVerdict {
  const { event, business } = identity;
  const sameEvent = known.get(event.key);
  if (sameEvent !== undefined) {
    return isSaid(sameEvent, event) ? { kind: 'duplicate-event' } : { kind: 'conflict', detail: 'event' };
  }
  const sameBusiness = business === null ? undefined : known.get(business.key);
  if (business === null || sameBusiness === undefined) return { kind: 'new' };
  const of = sameBusiness.place;
  if (isSaid(sameBusiness, business)) return { kind: 'duplicate-business-key', of };
  return business.isEnrolment ? { kind: 'enrolment-changed', of } : { kind: 'conflict', detail: 'business-key' };
}

function isSaid({ contentMac }: KnownIdentity, claimed: { readonly contentMac: string }): boolean {
  return contentMac === null || contentMac === claimed.contentMac;
}

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
    const { event, business } = identity;
    if (verdict.kind === 'conflict' || verdict.kind === 'duplicate-event') return verdict;
    known.set(event.key, { contentMac: event.contentMac, place: null });
    if (business !== null && (verdict.kind === 'new' || verdict.kind === 'enrolment-changed')) {
      const place = verdict.kind === 'new' ? null : verdict.of;
      known.set(business.key, { contentMac: business.contentMac, place });
    }
    return verdict;
  });
}
