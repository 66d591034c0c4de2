import type { EventPosition } from '#domain';
import { compareEventOrder } from '#domain';
import type { SqlSession } from '#platform';

import type { Member, MemberName } from './find-members.js';
import { memberKey } from './find-members.js';
import { moveProfiles } from './move-profiles.js';

/**
 * Where each member's last accepted update stands, while one transaction goes through its records. An update older than
 * that is stale (contracts.md section 1): what it says was overtaken already.
 */
export class ProfileBook {
  private readonly moved = new Map<string, EventPosition>();

  constructor(private readonly members: { readonly all: ReadonlyMap<string, Member> }) {}

  /** Takes the update as the last one, unless it is stale. @returns whether it was taken */
  accept(name: MemberName, position: EventPosition): boolean {
    const key = memberKey(name);
    const last = this.moved.get(key) ?? this.members.all.get(key)?.profile ?? null;
    if (last !== null && compareEventOrder(position, last) < 0) return false;
    this.moved.set(key, position);
    return true;
  }

  /** The member is erased, and whoever comes back begins anew. */
  forget(name: MemberName): void {
    this.moved.delete(memberKey(name));
  }

  /** Writes down what was accepted. The lanes of members that existed before are locked. */
  async save(session: SqlSession): Promise<void> {
    const moves = [...this.moved].flatMap(([key, position]) => {
      const member = this.members.all.get(key);
      return member === undefined ? [] : [{ laneId: member.laneId, position }];
    });
    await moveProfiles(session, moves);
  }
}
