import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import type { PreparedRecord } from './batch-to-record.js';
import { createMembers } from './create-members.js';
import type { Member, MemberName } from './find-members.js';
import { findMembers, memberKey } from './find-members.js';
import { reviveMembers } from './revive-members.js';

function namesOf({ verdict }: PreparedRecord): MemberName[] {
  return verdict.kind === 'routed' ? [...verdict.intents, ...verdict.cancels] : [];
}

/** The members that one transaction is about: those that exist, and those it creates. */
export class MemberBook {
  private readonly members = new Map<string, Member>();

  constructor(
    private readonly keys: MemberKeys,
    private readonly now: number,
  ) {}

  get all(): ReadonlyMap<string, Member> {
    return this.members;
  }

  get laneIds(): number[] {
    return [...this.members.values()].map((member) => member.laneId);
  }

  async learn(session: SqlSession, records: readonly PreparedRecord[]): Promise<void> {
    // The database port repeats a transaction after a deadlock: what the rolled-back attempt created is gone.
    this.members.clear();
    const names = new Map(records.flatMap(namesOf).map((name) => [memberKey(name), name]));
    if (names.size === 0) return;
    const found = await findMembers(session, [...names.values()], this.keys);
    for (const member of found.values()) this.changed(member);
  }

  /** Creates who is not there, and gives a new key to who was erased. */
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
    const revived = await reviveMembers(session, [...erased.values()], this.keys);
    for (const member of [...created, ...revived]) this.changed(member);
  }

  changed(member: Member): void {
    this.members.set(memberKey(member), member);
  }

  /** The member's key has been destroyed. */
  erased(member: Member, erasedSeq: number): void {
    this.changed({ ...member, erasedSeq, key: null, profile: null, generation: member.generation + 1 });
  }
}
