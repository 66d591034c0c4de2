import type { RoutedIntent } from '#intents/core';
import { cancelledForSurvivor, nobody, owedToSurvivor } from '#intents/core';

import { isOptOutType } from '../events/opt-outs.js';
import type { MemberName } from './members.js';
import type { ProfileMarkTable } from './profile-marks.js';
import type { PreparedRecord, RecordVerdict } from './recording.js';

type Routed = Extract<RecordVerdict, { kind: 'routed' }>;

const isMerge = ({ verdict }: PreparedRecord): boolean =>
  verdict.kind === 'routed' && verdict.memberEffects?.merge !== undefined;

/** Who is erased lives on in nobody. */
const isErasure = ({ verdict }: PreparedRecord): boolean =>
  verdict.kind === 'routed' && verdict.memberEffects?.erase === true;

type Survivors = Pick<ProfileMarkTable, 'areOrdinary' | 'survivorOf' | 'absorbedBy'>;

/** Cuts a chunk where it says that members are one, or are not: whose the records behind that are is decided by it. */
export function cutAtMerges(records: readonly PreparedRecord[]): (readonly PreparedRecord[])[] {
  const cuts = records.flatMap((record, index) => (isMerge(record) || isErasure(record) ? [index, index + 1] : []));
  const starts = [0, ...cuts];
  return starts.map((start, index) => records.slice(start, starts[index + 1])).filter(({ length }) => length > 0);
}

/**
 * The records as those of whom their members live on in. An opt-out is of each card that the member has: of who was absorbed, too,
 * as long as no call can take that card away. The same list where no record is another's.
 */
export function ofSurvivors(records: readonly PreparedRecord[], profiles: Survivors): readonly PreparedRecord[] {
  if (profiles.areOrdinary) return records;
  const own = records.map((record) => ofSurvivor(record, profiles));
  return own.some((record, index) => record !== records[index]) ? own : records;
}

function ofSurvivor(record: PreparedRecord, profiles: Survivors): PreparedRecord {
  const { verdict } = record;
  if (verdict.kind !== 'routed' || isMerge(record)) return record;
  const [named] = [...verdict.intents, ...verdict.cancels];
  if (named === undefined || named.memberId === nobody) return record;
  const survivor = profiles.survivorOf(named);
  const own =
    survivor.memberId === named.memberId ? record : { ...record, verdict: addressed(verdict, named, survivor) };
  const absorbed = isOptOutType(verdict.eventType) ? profiles.absorbedBy(survivor) : [];
  return absorbed.length === 0 ? own : { ...own, verdict: ofEachCard(own.verdict as Routed, absorbed) };
}

function addressed(verdict: Routed, { memberId: absorbed }: MemberName, { memberId: survivor }: MemberName): Routed {
  const survival = { absorbed, survivor };
  const { enrolmentAsUpdate } = verdict;
  return {
    ...verdict,
    intents: verdict.intents.map((intent) => owedToSurvivor(intent, survival)),
    cancels: verdict.cancels.map((cancel) => cancelledForSurvivor(cancel, survival)),
    enrolmentAsUpdate: enrolmentAsUpdate === null ? null : owedToSurvivor(enrolmentAsUpdate, survival),
  };
}

function ofEachCard(verdict: Routed, absorbed: readonly MemberName[]): Routed {
  const { intents, cancels } = verdict;
  const others = absorbed.flatMap(({ memberId }) => intents.map((intent) => onCardOf(intent, memberId)));
  const queues = absorbed.flatMap(({ memberId }) => cancels.map((cancel) => ({ ...cancel, memberId })));
  return { ...verdict, intents: [...intents, ...others], cancels: [...cancels, ...queues] };
}

function onCardOf(intent: RoutedIntent, memberId: string): RoutedIntent {
  return owedToSurvivor(intent, { absorbed: intent.memberId, survivor: memberId });
}
