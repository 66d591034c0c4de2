import type { Membership, PersonField, PersonSaid, ProfileMark, ProfileMarks } from '#intents/core';
import {
  erasureMarks,
  evolveMembership,
  isOrdinary,
  moveMarks,
  noMarks,
  nobody,
  personFields,
  unknownMembership,
  wholeProfile,
} from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { int8Array, jsonbArray, keyedDigestOf } from '#platform';

import { isOptOutType } from '../events/opt-outs.js';
import { timestamp, timestamps } from '../events/stored-event.js';
import { SoughtNames } from '../erasure/erased-names.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { IngestKeys, PreparedRecord, RecordVerdict } from './recording.js';
import { BatchRaceError } from './recording.js';

type RoutedVerdict = Extract<RecordVerdict, { kind: 'routed' }>;

/** SQL: the columns of a `MembershipRow`, of `member m`. */
export const membershipColumns =
  'm.left_at, m.back_at, m.enrolled_at, m.erased_at, m.born_at, m.merged_into, m.merged_at, m.undone_from, m.undone_at';

const memberColumns = `m.lane_id, m.program_id, m.member_id, m.generation, m.profile_at, m.profile_marks,
  m.enrolment_key, m.enrolment_mac, m.person_macs, m.erased_seq, ${membershipColumns}, k.wrapped_key`;

const findStatement: SqlStatement = {
  name: 'find_members',
  isRead: true,
  text: `
SELECT ${memberColumns}
FROM unnest($1::text[], $2::text[]) AS w (program_id, member_id)
JOIN member m ON m.program_id = w.program_id AND m.member_id = w.member_id
LEFT JOIN member_key k ON k.lane_id = m.lane_id`,
};

const findByLaneStatement: SqlStatement = {
  name: 'find_member_of_lane',
  isRead: true,
  text: `SELECT ${memberColumns} FROM member m LEFT JOIN member_key k ON k.lane_id = m.lane_id WHERE m.lane_id = $1`,
};

/** A program's member by its outside names. */
export interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

/** The content of an enrolment that differs from the first one of its generation. */
export interface LastEnrolment {
  /** Its business key, which is the first one's. */
  readonly key: Buffer;
  readonly contentMac: Buffer;
}

export interface Member extends MemberName {
  readonly laneId: number;
  readonly generation: number;
  /** Where what was last taken of each path of the profile stands. Names chosen by shops, and sources, are digests. */
  readonly profile: ProfileMarks;
  readonly membership: Membership;
  /** The last enrolment that was taken after the first one, perhaps of an earlier generation; null: there was none. */
  readonly enrolment: LastEnrolment | null;
  /** Digests of who they are, as `personMacsOf` makes them; null: nothing is known. */
  readonly personMacs: Buffer | null;
  /** Everything up to here is erased. */
  readonly erasedSeq: number;
  /** Unwrapped; null for a member that was erased and has not come back yet. */
  readonly key: Uint8Array | null;
}

/** As `member.profile_marks` holds them: by path, source, sequence and epoch ms of each mark. */
export type StoredMarks = Readonly<Record<string, readonly (readonly [string | null, string | null, number])[]>>;

/**
 * The marks of a member's row.
 * @param before what a release before the marks took last, epoch ms: of every path
 */
export function marksOf(stored: StoredMarks | null, before: number | null): ProfileMarks {
  const marks = Object.entries(stored ?? {}).map(([path, known]): [string, ProfileMark[]] => {
    return [path, known.map(([source, sequence, timeMs]) => ({ source, sequence, timeMs }))];
  });
  const known: ProfileMarks = marks.length === 0 ? noMarks : new Map(marks);
  if (before === null) return known;
  return moveMarks(known, [wholeProfile], { source: null, sequence: null, timeMs: before });
}

/** As `marksOf` reads them. */
export function storedMarksText(marks: ProfileMarks): string {
  const stored: StoredMarks = Object.fromEntries(
    [...marks].map(([path, known]) => [
      path,
      known.map(({ source, sequence, timeMs }) => [source, sequence, timeMs] as const),
    ]),
  );
  return JSON.stringify(stored);
}

export interface MembershipRow {
  readonly left_at: number | null;
  readonly back_at: number | null;
  readonly enrolled_at: number | null;
  readonly erased_at: number | null;
  readonly born_at: number | null;
  readonly merged_into: string | null;
  readonly merged_at: number | null;
  readonly undone_from: string | null;
  readonly undone_at: number | null;
}

export function membershipOf(row: MembershipRow): Membership {
  const { left_at: leftAt, back_at: backAt, enrolled_at: enrolledAt, erased_at: erasedAt, born_at: bornAt } = row;
  const { merged_into: mergedInto, merged_at: mergedAt, undone_from: undoneFrom, undone_at: undoneAt } = row;
  return { leftAt, backAt, enrolledAt, erasedAt, bornAt, mergedInto, mergedAt, undoneFrom, undoneAt };
}

interface MemberRow extends MembershipRow {
  readonly lane_id: number;
  readonly program_id: string;
  readonly member_id: string;
  readonly generation: number;
  /** What a release before the marks has left. */
  readonly profile_at: number | null;
  readonly profile_marks: StoredMarks | null;
  readonly enrolment_key: Buffer | null;
  readonly enrolment_mac: Buffer | null;
  readonly person_macs: Buffer | null;
  readonly erased_seq: number;
  readonly wrapped_key: Buffer | null;
}

/** One text per member, for maps. */
export function memberKey(name: MemberName): string {
  return `${name.program}\u0000${name.memberId}`;
}

function detailsOf(row: MemberRow, keys: MemberKeys): Omit<Member, keyof MemberName> {
  const { lane_id: laneId, erased_seq: erasedSeq } = row;
  const { enrolment_key: enrolmentKey, enrolment_mac: contentMac } = row;
  const key = row.wrapped_key === null ? null : keys.learn(laneId, row.wrapped_key);
  if (key === null) keys.forget(laneId);
  return {
    laneId,
    // Who comes back is a new one (contracts.md section 1, Identity).
    generation: key === null ? row.generation + 1 : row.generation,
    profile: marksOf(row.profile_marks, row.profile_at),
    membership: membershipOf(row),
    enrolment: enrolmentKey === null || contentMac === null ? null : { key: enrolmentKey, contentMac },
    personMacs: key === null ? null : row.person_macs,
    erasedSeq,
    key,
  };
}

/** Of the members themselves, and of what those are known by who are erased. */
export type NamedKeys = Pick<IngestKeys, 'members' | 'mac'>;

/** The members that exist, erased or not, by `memberKey`, with their keys. */
export async function findMembers(
  session: SqlSession,
  names: readonly MemberName[],
  keys: NamedKeys,
): Promise<Map<string, Member>> {
  const programs = names.map(({ program }) => program);
  const memberIds = names.map(({ memberId }) => memberId);
  const { rows } = await session.query<MemberRow>(findStatement, [programs, memberIds]);
  const members = rows.map((row) => memberOf(row, keys.members));
  const found = new Map(members.map((member) => [memberKey(member), member]));
  if (found.size === names.length) return found;
  // Most are there: only whoever is not may be erased, or have got the name back meanwhile.
  const missing = names.filter((name) => !found.has(memberKey(name)));
  const sought = new SoughtNames(keys.mac, missing);
  const others = await session.query<MemberRow>(findStatement, [sought.programs, sought.memberIds]);
  for (const row of others.rows) {
    const member = memberOf(row, keys.members, sought);
    found.set(memberKey(member), member);
  }
  return found;
}

function memberOf(row: MemberRow, keys: MemberKeys, sought?: SoughtNames): Member {
  const memberId = sought?.memberIdOf(row.member_id) ?? row.member_id;
  return { program: row.program_id, memberId, ...detailsOf(row, keys) };
}

const insertStatement: SqlStatement = {
  name: 'insert_members',
  text: `
INSERT INTO member (program_id, member_id, created_at)
SELECT program_id, member_id, $3::timestamptz FROM unnest($1::text[], $2::text[]) AS w (program_id, member_id)
ORDER BY program_id, member_id
ON CONFLICT DO NOTHING
RETURNING lane_id, program_id, member_id, generation`,
};

/** The name of who is erased is another one: no constraint says that both are of one member. */
const findNamesStatement: SqlStatement = {
  name: 'find_names',
  isRead: true,
  text: `
SELECT FROM unnest($1::text[], $2::text[]) AS w (program_id, member_id)
JOIN member m ON m.program_id = w.program_id AND m.member_id = w.member_id`,
};

/** @throws {BatchRaceError} when another transaction created, and erased, one of these meanwhile */
async function requireNew(session: SqlSession, names: readonly MemberName[], macKey: Uint8Array): Promise<void> {
  const { programs, memberIds } = new SoughtNames(macKey, names);
  const { rowCount } = await session.query(findNamesStatement, [programs, memberIds]);
  if (rowCount > names.length) throw new BatchRaceError('member');
}

const insertKeysStatement: SqlStatement = {
  name: 'insert_member_keys',
  text: 'INSERT INTO member_key (lane_id, wrapped_key) SELECT * FROM unnest($1::bigint[], $2::bytea[])',
};

interface NamesToInsert {
  readonly names: readonly MemberName[];
  readonly now: number;
}

/**
 * Creates members without a data key, in name order so that two batches cannot deadlock. To be followed by `requireNew`.
 * @throws {BatchRaceError} when another transaction created one of them meanwhile
 */
async function insertNames(session: SqlSession, { names, now }: NamesToInsert): Promise<Omit<Member, 'key'>[]> {
  if (names.length === 0) return [];
  const { rows } = await session.query<{ lane_id: number; program_id: string; member_id: string; generation: number }>(
    insertStatement,
    [names.map((name) => name.program), names.map((name) => name.memberId), timestamp(now)],
  );
  if (rows.length < names.length) throw new BatchRaceError('member');
  return rows.map((row) => ({
    laneId: row.lane_id,
    program: row.program_id,
    memberId: row.member_id,
    generation: row.generation,
    profile: noMarks,
    membership: unknownMembership,
    enrolment: null,
    personMacs: null,
    erasedSeq: 0,
  }));
}

/**
 * Creates members with a data key each, in name order so that two batches cannot deadlock.
 * @throws {BatchRaceError} when another transaction created one of them meanwhile
 */
export async function createMembers(session: SqlSession, request: NamesToInsert, keys: NamedKeys): Promise<Member[]> {
  if (request.names.length === 0) return [];
  const named = await insertNames(session, request);
  const created = named.map((member) => ({ member, ...keys.members.create(member.laneId) }));
  const laneIds = created.map(({ member }) => member.laneId);
  await Promise.all([
    requireNew(session, request.names, keys.mac),
    session.query(insertKeysStatement, [laneIds, created.map(({ wrapped }) => wrapped)]),
  ]);
  return created.map(({ member, key }) => ({ ...member, key }));
}

const reviveStatement: SqlStatement = {
  name: 'revive_members',
  text: `
WITH keyed AS (
  INSERT INTO member_key (lane_id, wrapped_key)
  SELECT lane_id, wrapped_key FROM unnest($1::bigint[], $2::bytea[]) AS w (lane_id, wrapped_key) ORDER BY lane_id
  ON CONFLICT DO NOTHING
  RETURNING lane_id
)
UPDATE member m SET generation = m.generation + 1, member_id = w.member_id, nameless_since = NULL
FROM keyed JOIN unnest($1::bigint[], $3::text[]) AS w (lane_id, member_id) USING (lane_id) WHERE m.lane_id = keyed.lane_id`,
};

/**
 * Gives members who were erased and come back a new key, a new generation and their name: what was sealed with the old key
 * stays closed for ever.
 * @throws {BatchRaceError} when another transaction did so meanwhile
 */
async function reviveMembers(session: SqlSession, members: readonly Member[], keys: MemberKeys): Promise<Member[]> {
  if (members.length === 0) return [];
  const revived = members.map((member) => ({ member, ...keys.create(member.laneId) }));
  const { rowCount } = await session.query(reviveStatement, [
    revived.map(({ member }) => member.laneId),
    revived.map(({ wrapped }) => wrapped),
    revived.map(({ member }) => member.memberId),
  ]);
  if (rowCount < members.length) throw new BatchRaceError('member');
  return revived.map(({ member, key }) => ({ ...member, key }));
}

const raiseStatement: SqlStatement = {
  name: 'raise_generation',
  text: 'UPDATE member SET generation = generation + 1 WHERE lane_id = $1 RETURNING generation',
};

/** The member left the program: the next enrolment is a new one. @returns the new generation */
export async function raiseGeneration(session: SqlSession, laneId: number): Promise<number> {
  const { rows } = await session.query<{ generation: number }>(raiseStatement, [laneId]);
  return rows[0]?.generation ?? 1;
}

const lockNamesStatement: SqlStatement = {
  name: 'lock_members_without_lane',
  text: `
SELECT m.lane_id FROM member m
WHERE m.lane_id = ANY ($1::bigint[]) AND NOT EXISTS (SELECT FROM lane l WHERE l.lane_id = m.lane_id)
ORDER BY m.lane_id FOR NO KEY UPDATE OF m`,
};

/** Locks those of these members whom no lane's lock stands for: nothing was owed to them yet. In lane order. */
export async function lockNames(session: SqlSession, laneIds: readonly number[]): Promise<void> {
  await session.query(lockNamesStatement, [int8Array(laneIds)]);
}

const moveProfilesStatement: SqlStatement = {
  name: 'move_profiles',
  text: `
UPDATE member m SET profile_marks = w.marks, profile_at = NULL, profile_sequence = NULL,
  left_at = w.left_at, back_at = w.back_at, enrolled_at = w.enrolled_at, erased_at = w.erased_at, born_at = w.born_at,
  merged_into = w.merged_into, merged_at = w.merged_at, undone_from = w.undone_from, undone_at = w.undone_at,
  person_macs = w.person_macs
FROM unnest($1::bigint[], $2::jsonb[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[],
  $7::timestamptz[], $8::text[], $9::timestamptz[], $10::text[], $11::timestamptz[], $12::bytea[])
  AS w (lane_id, marks, left_at, back_at, enrolled_at, erased_at, born_at, merged_into, merged_at, undone_from, undone_at,
    person_macs)
WHERE m.lane_id = w.lane_id`,
};

/** A member's profile marks, and since when it is one, as they are now. */
export interface ProfileMove {
  readonly laneId: number;
  readonly marks: ProfileMarks;
  readonly membership: Membership;
  readonly personMacs: Buffer | null;
}

/** Bytes kept of each digest. */
const personMacBytes = 8;
const unsaid = Buffer.alloc(personMacBytes);

/** What was said of one field of who a member is; null: nothing. */
export function personMac(member: Pick<Member, 'personMacs'>, field: PersonField): Buffer | null {
  const start = personFields.indexOf(field) * personMacBytes;
  const mac = member.personMacs?.subarray(start, start + personMacBytes) ?? unsaid;
  return mac.equals(unsaid) ? null : mac;
}

/** By the member's own key, so that an erasure forgets what it is of. */
export function personMacOf(key: Uint8Array, field: PersonField, value: string): Buffer {
  return keyedDigestOf(key, [`person ${field} ${value}`]).subarray(0, personMacBytes);
}

/** Who a member is, with what was said since. */
export function personMacsOf(member: Pick<Member, 'key' | 'personMacs'>, said: PersonSaid): Buffer | null {
  const { key } = member;
  if (key === null) return null;
  const macs = personFields.map((field) => {
    const value = said[field];
    if (value === undefined) return personMac(member, field) ?? unsaid;
    return value === null ? unsaid : personMacOf(key, field, value);
  });
  return Buffer.concat(macs);
}

/** Stores members' profile marks. The members that existed before are locked: no statement waits here. */
export async function moveProfiles(session: SqlSession, moves: readonly ProfileMove[]): Promise<void> {
  if (moves.length === 0) return;
  await session.query(moveProfilesStatement, [
    int8Array(moves.map(({ laneId }) => laneId)),
    jsonbArray(moves.map(({ marks }) => storedMarksText(marks))),
    timestamps(moves.map(({ membership }) => membership.leftAt)),
    timestamps(moves.map(({ membership }) => membership.backAt)),
    timestamps(moves.map(({ membership }) => membership.enrolledAt)),
    timestamps(moves.map(({ membership }) => membership.erasedAt)),
    timestamps(moves.map(({ membership }) => membership.bornAt)),
    moves.map(({ membership }) => membership.mergedInto),
    timestamps(moves.map(({ membership }) => membership.mergedAt)),
    moves.map(({ membership }) => membership.undoneFrom),
    timestamps(moves.map(({ membership }) => membership.undoneAt)),
    moves.map(({ personMacs }) => personMacs),
  ]);
}

/** The members whom a record is about. */
export function namesOf({ verdict }: PreparedRecord): MemberName[] {
  if (verdict.kind === 'ignored') return verdict.identity?.member ? [verdict.identity.member] : [];
  if (verdict.kind !== 'routed') return [];
  const named = [...verdict.intents, ...verdict.cancels].filter(({ memberId }) => memberId !== nobody);
  return [...named, ...absorbedBy(verdict)];
}

/** The members that live on in another one by what a record says, or do so no longer. */
export function absorbedBy({ intents, memberEffects }: RoutedVerdict): MemberName[] {
  const program = intents[0]?.program;
  return program === undefined ? [] : (memberEffects?.merge?.absorbed ?? []).map((memberId) => ({ program, memberId }));
}

/** It binds each card of its member, or says whose the cards are. */
function isOfAllCards({ verdict }: PreparedRecord): boolean {
  return verdict.kind === 'routed' && (verdict.memberEffects !== null || isOptOutType(verdict.eventType));
}

/** Its member gets it once, whoever of those got it who live on in them. */
function isGivenOnce({ verdict }: PreparedRecord): boolean {
  return verdict.kind === 'routed' && verdict.intents[0]?.alias?.key.scope === 'campaign';
}

/** Members who are to be known together, at most: of all records of a chunk who was merged into one, and into those. */
export const familyMax = 10_000;

/** SQL, to begin a statement: `family`, of the members of two parallel arrays of programs and member ids and all who are merged with them. */
export const withFamily = `
WITH RECURSIVE family AS (
  SELECT o.lane_id, o.program_id, o.member_id, o.merged_into
  FROM unnest($1::text[], $2::text[]) AS w (program_id, member_id)
  JOIN member o ON o.program_id = w.program_id AND o.member_id = w.member_id
  UNION
  SELECT o.lane_id, o.program_id, o.member_id, o.merged_into FROM family f CROSS JOIN LATERAL (
    SELECT * FROM member i WHERE i.program_id = f.program_id AND i.member_id = f.merged_into
    UNION ALL
    SELECT * FROM member a WHERE a.program_id = f.program_id AND a.merged_into = f.member_id) o
)`;

const findFamiliesStatement: SqlStatement = {
  name: 'find_families',
  isRead: true,
  text: `${withFamily}
SELECT ${memberColumns} FROM (SELECT lane_id FROM family LIMIT ${familyMax + 1}) f
JOIN member m USING (lane_id) LEFT JOIN member_key k ON k.lane_id = m.lane_id`,
};

/** The members that one transaction is about: those that exist, and those it creates. */
export class MemberCache {
  private readonly members = new Map<string, Member>();
  private hasOthers = false;

  constructor(
    private readonly keys: NamedKeys,
    private readonly now: number,
  ) {}

  get all(): ReadonlyMap<string, Member> {
    return this.members;
  }

  /** Nothing is to be decided of any of them. */
  get areOrdinary(): boolean {
    return !this.hasOthers;
  }

  get laneIds(): number[] {
    return [...this.members.values()].map((member) => member.laneId);
  }

  async learn(session: SqlSession, records: readonly PreparedRecord[]): Promise<void> {
    // The database port repeats a transaction after a deadlock: what the rolled-back attempt created is gone.
    this.members.clear();
    this.hasOthers = false;
    const names = new Map(records.flatMap(namesOf).map((name) => [memberKey(name), name]));
    if (names.size === 0) return;
    const found = await findMembers(session, [...names.values()], this.keys);
    for (const member of found.values()) this.changed(member);
    const merged = [...found.values()].filter(({ membership }) => membership.mergedInto !== null);
    await this.learnFamilies(session, [
      ...merged,
      ...records.filter((record) => isOfAllCards(record) || isGivenOnce(record)).flatMap(namesOf),
    ]);
  }

  /** Also knows whom these live on in, and who lives on in them. */
  async learnFamilies(session: SqlSession, names: readonly MemberName[]): Promise<void> {
    if (names.length === 0) return;
    const sought = new SoughtNames(this.keys.mac, names);
    const { rows } = await session.query<MemberRow>(findFamiliesStatement, [sought.programs, sought.memberIds]);
    // Half of a family would be worse than none: of fewer records there are fewer, and a record that has too many is set aside.
    if (rows.length > familyMax) throw new Error(`more than ${familyMax} members are merged`);
    for (const member of rows.map((row) => memberOf(row, this.keys.members, sought))) {
      if (!this.members.has(memberKey(member))) this.changed(member);
    }
  }

  /** Creates missing members, and gives a new key to members that were erased. */
  async createMissing(session: SqlSession, names: readonly MemberName[]): Promise<void> {
    const missing = new Map<string, MemberName>();
    const erased = new Map<string, Member>();
    for (const name of names) {
      const key = memberKey(name);
      const member = this.members.get(key);
      if (member === undefined) missing.set(key, name);
      else if (member.key === null) erased.set(key, member);
    }
    const created = await createMembers(session, { names: [...missing.values()], now: this.now }, this.keys);
    const revived = await reviveMembers(session, [...erased.values()], this.keys.members);
    for (const member of [...created, ...revived]) this.changed(member);
  }

  /** Of who is not known yet nothing is kept but the name: there is no key. */
  async nameMissing(session: SqlSession, names: readonly MemberName[]): Promise<void> {
    const missing = new Map(names.map((name) => [memberKey(name), name]));
    for (const key of this.members.keys()) missing.delete(key);
    const fresh = [...missing.values()];
    if (fresh.length === 0) return;
    for (const member of await insertNames(session, { names: fresh, now: this.now })) {
      // Who is seen with a key is a new one, as who comes back.
      this.changed({ ...member, generation: member.generation + 1, key: null });
    }
    await requireNew(session, fresh, this.keys.mac);
  }

  /** The member of a lane, whom the records need not have named. The lane is locked. */
  async ofLane(session: SqlSession, laneId: number): Promise<Member> {
    const known = [...this.members.values()].find((member) => member.laneId === laneId);
    if (known !== undefined) return known;
    const { rows } = await session.query<MemberRow>(findByLaneStatement, [laneId]);
    const [member] = rows.map((row) => memberOf(row, this.keys.members));
    if (member === undefined) throw new Error('a lane without a member');
    this.changed(member);
    if (member.membership.mergedInto !== null) await this.learnFamilies(session, [member]);
    return member;
  }

  changed(member: Member): void {
    this.members.set(memberKey(member), member);
    this.hasOthers ||= !isOrdinary(member.membership);
  }

  /** The member's key has been destroyed, and with it all that was known. */
  erased(member: Member, { erasedSeq, at }: { readonly erasedSeq: number; readonly at: number }): void {
    // Who had no key was to be a new one already.
    const generation = member.key === null ? member.generation : member.generation + 1;
    const membership = evolveMembership(member.membership, { type: 'MemberErased', at });
    const profile = erasureMarks(at);
    const forgotten = { enrolment: null, personMacs: null };
    this.changed({ ...member, ...forgotten, erasedSeq, key: null, profile, membership, generation });
  }
}
