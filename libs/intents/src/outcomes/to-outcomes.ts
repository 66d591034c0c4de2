import type { IntentDelivered, OutcomeData } from '#contracts';
import { digest, MasterKeyMissingError, SealBrokenError } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { issuedPass } from './issued-pass.js';
import type { Outcome } from './outcome.js';
import type { OutcomeRow } from './outcome-row.js';

/** An intent's id as the operations API spells it (contracts.md section 4). */
export function intentId(intent: {
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
}): string {
  return `${encodePart(intent.program)}~${encodePart(intent.memberId)}~${intent.seq}`;
}

function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('~', '%7E');
}

/** The member's person is gone: nothing about it may leave the house any more. */
function isErased({ wrapped_key: key, seq, erased_seq: erasedSeq }: OutcomeRow): boolean {
  return key === null || (erasedSeq > 0 && seq <= erasedSeq);
}

function intentData(row: Exclude<OutcomeRow, { type: 'PassAdopted' }>): IntentDelivered {
  const { program_id: program, member_id: memberId, seq, topic, partition } = row;
  return {
    program,
    memberId,
    intentId: intentId({ program, memberId, seq }),
    operation: row.operation,
    purchaseId: row.purchase_id,
    cause: { topic, partition, offset: row.kafka_offset },
  };
}

function standingOf(row: OutcomeRow): OutcomeData | null {
  switch (row.type) {
    case 'AttemptApplied':
    case 'VerifiedApplied':
      return { name: 'loyalty.intent.delivered.v1', data: intentData(row) };
    case 'IntentResolved':
      return row.data?.['as'] === 'delivered' ? { name: 'loyalty.intent.delivered.v1', data: intentData(row) } : null;
    case 'IntentParked': {
      const reason = String(row.data?.['reason']);
      const holdsLane = row.data?.['lane'] === 'block';
      return { name: 'loyalty.intent.parked.v1', data: { ...intentData(row), reason, holdsLane } };
    }
    case 'LateOutcome':
    case 'PassFound':
    case 'PassAdopted':
      return null;
  }
}

interface SealedPass {
  readonly laneId: number;
  readonly seq: number;
  readonly wrapped: Uint8Array;
  readonly sealed: Uint8Array;
}

/**
 * Damaged evidence costs its pass, not all that comes after it.
 * @throws {MasterKeyMissingError} for a key that an operator can bring back the feed waits
 */
function open(keys: MemberKeys, { laneId, seq, wrapped, sealed }: SealedPass): string {
  try {
    return keys.openFor({ laneId, seq, key: keys.learn(laneId, wrapped) }, sealed);
  } catch (error) {
    if (error instanceof SealBrokenError && !(error instanceof MasterKeyMissingError)) return '';
    throw error;
  }
}

function passOf(row: OutcomeRow, keys: MemberKeys): OutcomeData | null {
  const { lane_id: laneId, seq, sealed, wrapped_key: wrapped, program_id: program, member_id: memberId } = row;
  if (sealed === null || wrapped === null) return null;
  const pass = issuedPass(open(keys, { laneId, seq, wrapped, sealed }));
  return pass === null ? null : { name: 'loyalty.pass.issued.v1', data: { program, memberId, ...pass } };
}

function toOutcome(row: OutcomeRow, content: OutcomeData): Outcome {
  const { program_id: program, member_id: memberId, version, at, history } = row;
  const place = [program, memberId, version, content.name, ...(history === null ? [] : [history])];
  const id = digest(JSON.stringify(['outcome', ...place])).toString('hex');
  return { ...content, id, memberId, at, version };
}

/** What an event means to the outside: nothing, one outcome, or two (a pass and the delivery of what issued it). */
export function toOutcomes(row: OutcomeRow, keys: MemberKeys): Outcome[] {
  if (isErased(row)) return [];
  const contents = [passOf(row, keys), standingOf(row)];
  return contents.flatMap((content) => (content === null ? [] : [toOutcome(row, content)]));
}
