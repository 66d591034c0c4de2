import { prepareRecord } from '#events/ingest';
import { recordBatch, recordBatchMax, startOffset } from '#intents';
import { buildTemplate } from '#test-support';

import { benchPrograms, openStore } from '../bench-parts.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import { eventHeaders, memberId, purchaseEvent } from './purchase-event.js';

/** What stands in the way of a backlog: lanes that are blocked, and one that is very long. */
export interface BacklogOfMany {
  readonly blockedLanes: number;
  readonly hotIntents: number;
}

export interface BacklogSize {
  readonly members: number;
  readonly intentsPerMember: number;
  readonly crowd?: BacklogOfMany;
}

const nobody: BacklogOfMany = { blockedLanes: 0, hotIntents: 0 };

/** Intents of each blocked lane. */
const blockedIntents = 2;

const source = { clusterId: 'bench', topic: 'loyalty.backlog', incarnation: 1, partition: 0 };

interface Purchase {
  readonly member: number;
  readonly rank: number;
}

/** The member with the long lane; the blocked ones come after it. */
const hotMemberOf = ({ members }: BacklogSize): number => members;

export const hotMemberId = (size: BacklogSize): string => memberId(hotMemberOf(size));

/** Members in turn, as they come to the tills; then the crowd. */
const purchaseAt = (index: number, size: BacklogSize): Purchase => {
  const { members, intentsPerMember, crowd: { blockedLanes, hotIntents } = nobody } = size;
  const beyond = index - members * intentsPerMember;
  if (beyond < 0) return { member: index % members, rank: Math.floor(index / members) + 1 };
  if (beyond < hotIntents) return { member: hotMemberOf(size), rank: beyond + 1 };
  const rest = beyond - hotIntents;
  return { member: hotMemberOf(size) + 1 + (rest % blockedLanes), rank: Math.floor(rest / blockedLanes) + 1 };
};

const recordOf = (offset: number, { member, rank }: Purchase) => ({
  offset,
  brokerAt: Date.now(),
  key: Buffer.from(memberId(member)),
  value: purchaseEvent(member, rank),
  headers: { 'content-type': Buffer.from(eventHeaders['content-type']) },
});

/**
 * Brings an empty database to the current schema and records a backlog the way ingest does; every member's pass is
 * known, so that nothing but transactions remains to be sent.
 */
export const fillStore = async (url: string, encryptionKey: string, size: BacklogSize): Promise<void> => {
  await buildTemplate(url);
  const store = await openStore(url, encryptionKey);
  const { file, hash } = benchPrograms(1);
  const { blockedLanes, hotIntents } = size.crowd ?? nobody;
  const total = size.members * size.intentsPerMember + hotIntents + blockedLanes * blockedIntents;
  await startOffset(store.database, source, 0);
  for (let from = 0; from < total; from += recordBatchMax) {
    const nextOffset = Math.min(total, from + recordBatchMax);
    const now = store.clock.now();
    const context = { source, authority: null, programs: file, now };
    const offsets = Array.from({ length: nextOffset - from }, (_, index) => from + index);
    const records = offsets.map((offset) => prepareRecord(recordOf(offset, purchaseAt(offset, size)), context));
    const { intents } = await recordBatch(
      store.database,
      { source, records, fromOffset: from, nextOffset, now, programsHash: hash },
      store.keys,
    );
    if (intents !== records.length) throw new Error(`only ${intents} of ${records.length} events became intents`);
  }
  await store.close();
  await runSql(url, "UPDATE lane SET pass = 'known'");
  // As parking leaves them (libs/intents/src/store/lanes/record-steps.ts).
  const blocked = `SELECT lane_id FROM member ORDER BY lane_id DESC LIMIT ${blockedLanes}`;
  await runSql(url, `UPDATE lane SET state = 'blocked', due_at = NULL WHERE lane_id IN (${blocked})`);
  await settle(url);
};
