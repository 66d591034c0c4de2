import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import type { PreparedRecord } from './batch-to-record.js';
import { createMembers } from './create-members.js';
import type { Member, MemberName } from './find-members.js';
import { findMembers, memberKey } from './find-members.js';

function namesOf({ verdict }: PreparedRecord): MemberName[] {
  return verdict.kind === 'routed' ? [...verdict.intents, ...verdict.cancels] : [];
}

/** The members that one transaction is about: those that exist, and those it creates. */
export class MemberBook {
  private readonly created: number[] = [];
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
    this.forgetCreatedKeys();
    const names = new Map(records.flatMap(namesOf).map((name) => [memberKey(name), name]));
    if (names.size === 0) return;
    const found = await findMembers(session, [...names.values()], (laneId, wrapped) => {
      this.keys.learn(laneId, wrapped);
    });
    for (const member of found.values()) this.changed(member);
  }

  async createMissing(session: SqlSession, names: readonly MemberName[]): Promise<void> {
    const missing = new Map<string, MemberName>();
    for (const name of names) if (!this.members.has(memberKey(name))) missing.set(memberKey(name), name);
    const created = await createMembers(session, { names: [...missing.values()], now: this.now }, this.keys);
    for (const member of created) {
      this.created.push(member.laneId);
      this.changed(member);
    }
  }

  changed(member: Member): void {
    this.members.set(memberKey(member), member);
  }

  /** Keys of members that a rolled-back transaction created must not survive it. */
  forgetCreatedKeys(): void {
    this.keys.forget(this.created.splice(0));
  }
}
