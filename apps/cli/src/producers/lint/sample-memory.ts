import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

import type { SourceEvent } from '#contracts';
import type { BusinessKey, ClaimedIdentity, IdentityVerdict, JsonValue, KnownIdentity, RouteResult } from '#domain';
import { businessKeyText, canonicalJson, eventContentText, eventKeyText, judgeIdentities } from '#domain';

import type { Warning } from './warnings.js';
import { warning } from './warnings.js';

/** Bytes kept of a digest: 128 bits. */
const digestBytes = 16;

interface Business {
  readonly key: BusinessKey;
  readonly content: string;
}

/** What a sample claims to be, as the daemon keeps it; nothing of it can be read back. */
export function claimedIdentity(event: SourceEvent, route: RouteResult | null): ClaimedIdentity {
  const business = route === null ? usualBusiness(event) : routedBusiness(route);
  return {
    event: { key: digest(eventKeyText(event)), contentMac: digest(eventContentText(event)) },
    business: business === null ? null : claim(event, business),
  };
}

/** The enrolment that this event makes possible anew, by the digest of its key; null for all others. */
export function reopenedEnrolment({ name, data }: SourceEvent): string | null {
  if (name !== 'loyalty.member.opted-out.v1') return null;
  const isLeaving = data.scope === 'program' || data.erase === true;
  return isLeaving ? keyDigest(data.program, enrolmentOf(data.memberId)) : null;
}

function claim({ data }: SourceEvent, { key, content }: Business): ClaimedIdentity['business'] {
  return {
    key: keyDigest(data.program, key),
    contentMac: digest(content),
    isEnrolment: key.scope === 'enrolment',
  };
}

function keyDigest(program: string, key: BusinessKey): string {
  return digest(businessKeyText({ program, key, generation: 0 }));
}

/** As libs/intents takes it: of the first intent. Samples do not tell whether a void comes too late and has one, too. */
function routedBusiness(route: RouteResult): Business | null {
  const intent = route.kind === 'routed' ? route.intents[0] : undefined;
  if (intent === undefined || intent.businessKey === null) return null;
  return { key: intent.businessKey, content: intent.businessContent ?? '' };
}

/** Without a programs file: the business keys of a program that widens none. */
function usualBusiness(event: SourceEvent): Business | null {
  const key = usualKey(event);
  return key === null ? null : { key, content: canonicalJson(event.sentData as JsonValue) };
}

function usualKey({ name, data }: SourceEvent): BusinessKey | null {
  if (name === 'loyalty.member.enrolled.v1') return enrolmentOf(data.memberId);
  if (name === 'loyalty.purchase.completed.v1') return numbered('purchase', data.purchaseId);
  if (name === 'loyalty.purchase.refunded.v1') return numbered('refund', data.refundId);
  return name === 'loyalty.reward.granted.v1' ? numbered('grant', data.grantId) : null;
}

function numbered(scope: BusinessKey['scope'], number: string): BusinessKey {
  return { scope, parts: [number], perGeneration: false };
}

function enrolmentOf(memberId: string): BusinessKey {
  return { scope: 'enrolment', parts: [memberId], perGeneration: true };
}

/** A character per byte: hundreds of thousands of them are remembered. */
function digest(text: string): string {
  return hash('sha256', text, 'buffer').toString('latin1', 0, digestBytes);
}

/** Event ids and business keys that are remembered, about 50 MB; beyond them the oldest are forgotten. */
const rememberedIdentitiesMax = 200_000;

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
    // Nobody is erased among samples.
    case 'forgotten':
      return [];
    case 'conflict':
      return [warning('conflict', conflictDetail(verdict.detail, first))];
  }
}

function conflictDetail(detail: 'event' | 'business-key', first: string): string {
  return detail === 'event'
    ? `id: source and id of ${first} with other content, would be quarantined`
    : `data: the business key of ${first} with other content, would be quarantined`;
}
