import { LRUCache } from 'lru-cache';

import type { ClaimedIdentity, IdentityVerdict, KnownIdentity } from '#domain';
import { judgeIdentities } from '#domain';

import { type Warning, warning } from './warning.js';

/** Event ids and business keys that are remembered, about 50 MB; beyond them the oldest are forgotten. */
export const rememberedIdentitiesMax = 200_000;

/** Where a sample stands. */
export interface SamplePlace {
  readonly file: string;
  readonly line: number;
}

interface Remembered extends SamplePlace {
  readonly contentMac: string;
}

/** What has been seen among the samples, judged by the daemon's own rules of identity. */
export class SampleMemory {
  private readonly known: LRUCache<string, Remembered>;
  private forgottenCount = 0;

  constructor(identitiesMax = rememberedIdentitiesMax) {
    this.known = new LRUCache({
      max: identitiesMax,
      dispose: (_identity, _key, reason) => {
        if (reason === 'evict') this.forgottenCount += 1;
      },
    });
  }

  /** How many identities were forgotten: repetitions of those are not seen. */
  get forgotten(): number {
    return this.forgottenCount;
  }

  /** What the daemon would make of this sample if it came after all those before it. */
  meet(claimed: ClaimedIdentity, place: SamplePlace): readonly Warning[] {
    const [sameEvent, sameBusiness] = [this.find(claimed.event), this.find(claimed.business)];
    const verdict = judgeOne(claimed, [
      [claimed.event.key, sameEvent],
      [claimed.business?.key ?? '', sameBusiness],
    ]);
    this.remember(claimed, verdict, place);
    const first = sameEvent ?? sameBusiness;
    return first === undefined ? [] : warningsOf(verdict, `${first.file}:${first.line}`);
  }

  /** The member may enrol anew. */
  forget(key: string): void {
    this.known.delete(key);
  }

  private find(claim: { readonly key: string } | null): Remembered | undefined {
    return claim === null ? undefined : this.known.get(claim.key);
  }

  /** A conflict leaves no identity behind; a repetition under a new id leaves only that id. */
  private remember({ event, business }: ClaimedIdentity, verdict: IdentityVerdict, place: SamplePlace): void {
    if (verdict.kind === 'conflict' || verdict.kind === 'duplicate-event') return;
    this.known.set(event.key, { contentMac: event.contentMac, ...place });
    if (business === null || verdict.kind === 'duplicate-business-key') return;
    this.known.set(business.key, { contentMac: business.contentMac, ...place });
  }
}

type Known = readonly (readonly [key: string, remembered: Remembered | undefined])[];

function judgeOne(claimed: ClaimedIdentity, known: Known): IdentityVerdict {
  const stored = new Map<string, KnownIdentity>();
  for (const [key, remembered] of known) {
    if (remembered !== undefined) stored.set(key, { contentMac: remembered.contentMac, place: null });
  }
  return judgeIdentities([claimed], stored)[0] ?? { kind: 'new' };
}

function warningsOf(verdict: IdentityVerdict, first: string): readonly Warning[] {
  switch (verdict.kind) {
    case 'new':
      return [];
    case 'duplicate-event':
      return [warning('duplicate-event', `id: the same event as ${first}, would be ignored`)];
    case 'duplicate-business-key':
      return [
        warning('duplicate-business-key', `data: the same business key and content as ${first}, would be ignored`),
      ];
    case 'enrolment-changed':
      return [
        warning('enrolment-again', `data: the member of ${first} enrols with other content: a correction or an update`),
      ];
    case 'conflict':
      return [warning('conflict', conflictDetail(verdict.detail, first))];
  }
}

function conflictDetail(detail: 'event' | 'business-key', first: string): string {
  return detail === 'event'
    ? `id: source and id of ${first} with other content, would be quarantined`
    : `data: the business key of ${first} with other content, would be quarantined`;
}
