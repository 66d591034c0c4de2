import type { IdentifiedRecord } from './identities.js';
import type { SegmentPlan } from './plan-segment.js';
import type { BatchResult, PreparedRecord, RecordResult } from './recording.js';

/** So many chunks in a row hold nothing that was known, before one is written again without being looked up. */
const lookedUpChunks = 64;

/**
 * Whether a chunk may be written without a look at what is known of its records: that their keys can be inserted proves that
 * they are new. A chunk that holds a known one is written for nothing and then looked up, so that where records come twice
 * every chunk is looked up first.
 */
export class Unseen {
  private left = 0;

  get isLikely(): boolean {
    return this.left === 0;
  }

  /** A record that was written as new is known. */
  refused(): void {
    this.left = lookedUpChunks;
  }

  /** A chunk was looked up. */
  lookedUp(parts: readonly BatchResult[]): void {
    if (parts.some(({ results }) => results.some(isKnown))) this.refused();
    else this.left = Math.max(0, this.left - 1);
  }
}

const isKnown = (result: RecordResult): boolean =>
  result.kind === 'ignored' && ['duplicate-event', 'duplicate-business-key'].includes(result.reason);

/** What becomes of it depends on no other record: on none that it takes back, waits for, corrects or is known by. */
export function refersToNothing({ verdict }: PreparedRecord): boolean {
  if (verdict.kind === 'quarantine') return true;
  if (verdict.kind === 'ignored') return verdict.receipt === undefined;
  const { intents, cancels, memberEffects, ownWord, leftForPerson } = verdict;
  if (cancels.length > 0 || memberEffects !== null || (ownWord ?? leftForPerson) !== undefined) return false;
  return intents.every(
    ({ waitsFor, ofReceipt, alias, corrects }) => waitsFor === null && (ofReceipt ?? alias ?? corrects) === undefined,
  );
}

/** Whether all keys of these records are to be inserted: of one that leaves none behind nothing would prove that it is new. */
export function leavesAllKeys(records: readonly IdentifiedRecord[], { intents, noops }: SegmentPlan): boolean {
  const own = intents.filter(({ ownsIdentity }) => ownsIdentity);
  const left = own.reduce((keys, { identity }) => keys + keysOf(identity), noops.length);
  return left === records.reduce((keys, { identity }) => keys + keysOf(identity), 0);
}

const keysOf = (identity: IdentifiedRecord['identity']): number =>
  identity === null ? 0 : Number(identity.businessKey !== null) + 1;
