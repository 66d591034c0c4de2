import { hash } from 'node:crypto';

import type { SourceEvent } from '#contracts';
import type { BusinessKey, ClaimedIdentity, RouteResult } from '#domain';
import { businessKeyText, canonicalJson, eventContentText, eventKeyText, type JsonValue } from '#domain';

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
