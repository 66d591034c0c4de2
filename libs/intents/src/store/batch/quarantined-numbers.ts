import type { BusinessKey, KnownIdentity, RefusedNumber } from '#intents/core';
import { nobody } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import type { QuarantinedNumber, RecordToQuarantine } from '../quarantine/sealed-record.js';
import type { JudgedRecord, KnownMembers } from './identities.js';
import { businessDigest } from './identities.js';
import type { MemberCache, MemberName } from './members.js';
import { memberKey } from './members.js';
import type { RecordAside } from './plan-segment.js';
import type { ProfileMarkTable } from './profile-marks.js';
import type { PreparedRecord } from './recording.js';

const findStatement: SqlStatement = {
  name: 'find_quarantined_numbers',
  isRead: true,
  text: `
SELECT number_key AS key, number_lane_id AS "laneId" FROM quarantine
WHERE number_key = ANY ($1::bytea[]) AND number_key IS NOT NULL AND state <> 'discarded'`,
};

/** What can be taken back by its number. */
const takenBack: ReadonlySet<BusinessKey['scope']> = new Set(['purchase', 'refund', 'grant']);

/** The number of a sale, refund or grant, and of whom it says that it is; null: it does not say, or that cannot be read. */
interface ToldNumber {
  readonly key: Buffer;
  readonly member: MemberName | null;
}

/** Null: the record tells of no sale, refund or grant, or its number cannot be read. */
function toldNumber({ verdict }: PreparedRecord, members: KnownMembers): ToldNumber | null {
  if (verdict.kind === 'ignored') return null;
  if (verdict.kind === 'quarantine') {
    if (verdict.number === undefined) return null;
    const { program, key } = verdict.number;
    return { key: businessDigest({ program, memberId: nobody }, key, members), member: null };
  }
  const [intent] = verdict.intents;
  const key = intent?.businessKey;
  if (intent === undefined || !key || !takenBack.has(key.scope)) return null;
  return { key: businessDigest(intent, key, members), member: intent };
}

/** The number of a sale or refund that cannot be taken in with the rest of its record; null: it tells of none. */
export function refusedNumber({ verdict }: PreparedRecord): RefusedNumber | null {
  const [intent] = verdict.kind === 'routed' ? verdict.intents : [];
  const key = intent?.businessKey;
  return intent && key && takenBack.has(key.scope) ? { program: intent.program, key } : null;
}

/** The number that a record tells; null: none that can be taken back. */
export function numberOf(record: PreparedRecord, members: KnownMembers): Buffer | null {
  return toldNumber(record, members)?.key ?? null;
}

/** By whom and by what it is found afterwards. */
function findableBy({ persons, event, refusedEvent = event?.text }: PreparedRecord): Partial<RecordToQuarantine> {
  return { ...(persons && { persons }), ...(refusedEvent !== undefined && { eventText: refusedEvent }) };
}

/** A record as it is set aside: its number is kept, unless nothing of it is. */
export function recordToQuarantine(
  { record, isHalf: _half, ...why }: RecordAside,
  members: KnownMembers,
): RecordToQuarantine {
  const { original, origin } = record;
  const told = why.isWithheld ? null : toldNumber(record, members);
  const laneId = told?.member ? (members.get(memberKey(told.member))?.laneId ?? null) : null;
  const number = told === null ? null : { key: told.key, laneId };
  return { original, ...why, sender: origin, number, ...(why.isWithheld ? {} : findableBy(record)) };
}

const isSetAside = (judged: JudgedRecord): boolean =>
  judged.identity === null ? judged.record.verdict.kind === 'quarantine' : judged.verdict.kind === 'conflict';

/** What an event that takes back says of what it means. */
interface Meaning {
  /** Whose that is which counts under the number. */
  readonly owner: MemberName;
  /** The member id that it says, or that of whom that one lives on in. */
  readonly memberId: string;
  /** It takes all back and names no amount, which else tells which one it means. */
  readonly isWhole: boolean;
}

/** Sales, refunds and grants that lie in quarantine under numbers that a segment takes back, or were taken in from there under other ones. */
export class QuarantinedNumbers {
  private constructor(
    private readonly members: KnownMembers,
    /** Whose they are, by hex key in `dedup`: their lanes; of what the segment sets aside, the members' keys. */
    private readonly owners: Map<string, (number | string | null)[]>,
  ) {}

  /** Nothing is asked where nothing is taken back. */
  static async find(
    session: SqlSession,
    keys: readonly Uint8Array[],
    members: KnownMembers,
  ): Promise<QuarantinedNumbers> {
    const numbers = new QuarantinedNumbers(members, new Map());
    if (keys.length === 0) return numbers;
    const { rows } = await session.query<QuarantinedNumber>(findStatement, [keys]);
    for (const { key, laneId } of rows) numbers.add(key, laneId);
    return numbers;
  }

  get isEmpty(): boolean {
    return this.owners.size === 0;
  }

  /** One that the segment itself sets aside, before what is looked at next. */
  remember(judged: JudgedRecord): void {
    const told = isSetAside(judged) ? toldNumber(judged.record, this.members) : null;
    if (told !== null) this.add(told.key, told.member && memberKey(told.member));
  }

  private add(key: Uint8Array, owner: number | string | null): void {
    const name = Buffer.from(key).toString('hex');
    this.owners.set(name, [...(this.owners.get(name) ?? []), owner]);
  }

  /** Whether what takes back under a number may mean what lies in quarantine, not what counts. */
  mayBeMeant(name: string, { owner, memberId, isWhole }: Meaning): boolean {
    const others = this.owners.get(name) ?? [];
    const laneId = this.members.get(memberKey(owner))?.laneId;
    const isTheirs = (of: number | string | null): boolean => of === memberKey(owner) || (of !== null && of === laneId);
    return (memberId !== owner.memberId && !others.every(isTheirs)) || (isWhole && others.some(isTheirs));
  }
}

interface VoidTools {
  readonly session: SqlSession;
  readonly members: MemberCache;
  readonly profiles: Pick<ProfileMarkTable, 'survivorOf'>;
  readonly numbers: QuarantinedNumbers;
}

/** Sets voids aside that may mean what lies in quarantine. The lanes of what they take back are locked. */
export async function judgeVoids(
  tools: VoidTools,
  records: readonly JudgedRecord[],
  known: ReadonlyMap<string, KnownIdentity>,
): Promise<readonly JudgedRecord[]> {
  if (tools.numbers.isEmpty) return records;
  const done: JudgedRecord[] = [];
  for (const judged of records) done.push(await judgeVoid(tools, judged, known));
  return done;
}

async function judgeVoid(
  { session, members, profiles, numbers }: VoidTools,
  judged: JudgedRecord,
  known: ReadonlyMap<string, KnownIdentity>,
): Promise<JudgedRecord> {
  const { verdict } = judged.record;
  if (judged.identity === null || judged.verdict.kind !== 'new' || verdict.kind !== 'routed') return judged;
  for (const cancel of verdict.cancels) {
    if (cancel.target === 'everything-queued') continue;
    const name = businessDigest(cancel, cancel.target, members.all).toString('hex');
    const place = known.get(name)?.place;
    if (!place) continue;
    const owner = profiles.survivorOf(await members.ofLane(session, place.laneId));
    const meaning = { owner, memberId: cancel.memberId, isWhole: cancel.total === undefined };
    if (numbers.mayBeMeant(name, meaning)) return { ...judged, verdict: mayMeanAnother };
  }
  return judged;
}

export const mayMeanAnother = { kind: 'conflict', detail: 'number-in-quarantine', of: null } as const;
