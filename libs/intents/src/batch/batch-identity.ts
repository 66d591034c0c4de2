import type { BusinessKey, ClaimedIdentity } from '#domain';
import { businessKeyText, keyedIntent } from '#domain';
import { digest, keyedDigest } from '#platform';

import type { PreparedRecord } from './batch-to-record.js';
import type { Member, MemberName } from './find-members.js';
import { memberKey } from './find-members.js';

const firstGeneration = 1;

/** Members as known before the batch; who is missing is new and in the first generation. */
export type KnownMembers = ReadonlyMap<string, Member>;

/** The dedup key of a member's business key, or null when there is none. */
export function businessDigest(owner: MemberName, key: BusinessKey | null, members: KnownMembers): Buffer | null {
  if (key === null) return null;
  const generation = members.get(memberKey(owner))?.generation ?? firstGeneration;
  return digest(businessKeyText({ program: owner.program, key, generation }));
}

/** A record's identity as bytes: keys and content digests. */
export interface RecordIdentity {
  readonly eventKey: Buffer;
  readonly eventMac: Buffer;
  readonly businessKey: Buffer | null;
  readonly businessMac: Buffer | null;
  readonly isEnrolment: boolean;
}

function identityTexts({ verdict }: PreparedRecord): { eventKeyText: string; eventContentText: string } | null {
  if (verdict.kind === 'routed') return verdict;
  return verdict.kind === 'ignored' ? verdict.identity : null;
}

/** The identity a record claims, or null when it has none (quarantine, tombstone). */
export function identityOf(record: PreparedRecord, members: KnownMembers, macKey: Uint8Array): RecordIdentity | null {
  const texts = identityTexts(record);
  if (texts === null) return null;
  const eventKey = digest(texts.eventKeyText);
  const eventMac = keyedDigest(macKey, texts.eventContentText);
  const intent = record.verdict.kind === 'routed' ? keyedIntent(record.verdict) : null;
  const businessKey = intent === null ? null : businessDigest(intent, intent.businessKey, members);
  if (intent === null || businessKey === null) {
    return { eventKey, eventMac, businessKey: null, businessMac: null, isEnrolment: false };
  }
  const businessMac = keyedDigest(macKey, intent.businessContent ?? '');
  return { eventKey, eventMac, businessKey, businessMac, isEnrolment: intent.businessKey?.scope === 'enrolment' };
}

/** The same identity as hex text, for judging. */
export function claimedIdentity(identity: RecordIdentity): ClaimedIdentity {
  const { businessKey, businessMac, isEnrolment } = identity;
  return {
    event: { key: identity.eventKey.toString('hex'), contentMac: identity.eventMac.toString('hex') },
    business:
      businessKey === null || businessMac === null
        ? null
        : { key: businessKey.toString('hex'), contentMac: businessMac.toString('hex'), isEnrolment },
  };
}
