import type { KnownIdentity } from '#domain';
import type { SqlSession } from '#platform';

import type { PreparedRecord, RecordResult } from './batch-to-record.js';
import { findIdentities } from './find-identities.js';
import type { PlacedIntent } from './insert-intents.js';
import { lockLanes } from './lock-lanes.js';
import type { MemberBook } from './member-book.js';
import { ProfileBook } from './profile-book.js';
import { cancelledKeys, cancelledLanes } from './referred-keys.js';
import { segmentRecords } from './segment-records.js';
import type { RecordedRecords, SegmentTools } from './segment-recorder.js';
import { SegmentRecorder } from './segment-recorder.js';

/** What a transaction that records something has at hand. */
export interface Recording extends Omit<SegmentTools, 'profiles'> {
  /** An attempt before this one lost a race: what is read is locked, so that it cannot be lost again. */
  readonly isWary: boolean;
}

/** The one way from prepared records to rows: identities, members, lanes, intents and what cannot be one. */
export async function recordRecords(
  session: SqlSession,
  records: readonly PreparedRecord[],
  recording: Recording,
): Promise<RecordedRecords> {
  const { members } = recording;
  const segments = segmentRecords(records);
  if (recording.isWary || segments.length > 1 || records.some(isOrdered)) await lockMembers(session, records, members);
  const profiles = new ProfileBook(members);
  const results: RecordResult[] = [];
  const placed: PlacedIntent[] = [];
  for (const segment of segments) {
    const recorded = await new SegmentRecorder(session, { ...recording, profiles }).record(segment);
    results.push(...recorded.results);
    placed.push(...recorded.placed);
  }
  await profiles.save(session);
  return { results, placed };
}

function isOrdered({ verdict }: PreparedRecord): boolean {
  return verdict.kind === 'routed' && verdict.profilePosition !== null;
}

/** Learns who the members are under their lanes' locks, where a decision rests on how they stand. */
async function lockMembers(
  session: SqlSession,
  records: readonly PreparedRecord[],
  members: MemberBook,
): Promise<void> {
  const wanted = records.flatMap((record) => cancelledKeys(record, members.all));
  const known = wanted.length === 0 ? new Map<string, KnownIdentity>() : await findIdentities(session, wanted);
  const laneIds = [...members.laneIds, ...cancelledLanes(records, members.all, known)];
  if (laneIds.length === 0) return;
  // All at once and in order: locked segment by segment, two batches would meet head-on.
  await lockLanes(session, laneIds);
  await members.learn(session, records);
}
