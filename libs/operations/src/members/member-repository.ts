import { Inject, Injectable } from '@nestjs/common';

import type { PassFacts, ReadHistory } from '#intents';
import { erasedName, findPassEvidence, IngestKeys, issuedPass, loadHistories, passNameIn, SoughtNames } from '#intents';
import type { IdentityPlace } from '#intents/core';
import type { SqlParameter, SqlStatement } from '#platform';
import { Database } from '#platform';

import type { SentHistory } from '../jobs/kinds/reconcile/sent-contents.js';
import { loadSentContents } from '../jobs/kinds/reconcile/sent-contents.js';

const statement: SqlStatement = {
  name: 'find_member',
  text: 'SELECT lane_id AS "laneId" FROM member WHERE program_id = $1 AND member_id = ANY ($2::text[])',
};

/** How one member's lane stands. */
export interface MemberState {
  readonly laneId: number;
  /** Unwrapped; null once it is destroyed. */
  readonly key: Uint8Array | null;
  readonly generation: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly isErased: boolean;
  readonly passKnown: 'unknown' | 'absent' | 'known';
  readonly state: 'live' | 'waiting' | 'blocked';
  /** Epoch ms; null: nothing is due. */
  readonly dueAt: number | null;
  readonly isHeld: boolean;
  /** The seq that comes next; null when nothing is left. */
  readonly nextSeq: number | null;
  /** Intents that are still to be sent. */
  readonly queued: number;
  /** As the partner last answered; null where it never did, and once the person is erased. */
  readonly pass: PassFacts | null;
  /** The partner's id of the cardholder, as last answered with the pass. */
  readonly personId: string | null;
}

const memberStatement: SqlStatement = {
  name: 'find_member_story',
  text: `
SELECT m.lane_id AS "laneId", m.generation, m.created_at AS "createdAt", k.wrapped_key,
  l.pass AS "passKnown", l.state, l.due_at AS "dueAt", l.owner IS NOT NULL AS "isHeld",
  CASE WHEN l.cur_seq <= l.tail_seq THEN l.cur_seq END AS "nextSeq",
  GREATEST(0, l.tail_seq - l.head_seq + 1 - cardinality(l.ahead)) + (
    SELECT count(*) FROM unnest(l.redo) AS r WHERE r < l.head_seq) AS queued
FROM member m JOIN lane l USING (lane_id) LEFT JOIN member_key k USING (lane_id)
WHERE m.program_id = $1 AND m.member_id = ANY ($2::text[])`,
};

type MemberRow = Omit<MemberState, 'key' | 'isErased' | 'pass' | 'personId'> & { readonly wrapped_key: Buffer | null };

type ShownPass = Pick<MemberState, 'pass' | 'personId'>;

const nothingShown: ShownPass = { pass: null, personId: null };

interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

/** Members as operators see them. */
@Injectable()
export class MemberRepository {
  constructor(
    private readonly database: Database,
    @Inject(IngestKeys) private readonly keys: Pick<IngestKeys, 'members' | 'mac'>,
  ) {}

  /** Whose lane it is; null where there is no member of that name. An erased member is still one. */
  async find(name: MemberName): Promise<{ readonly laneId: number } | null> {
    return (await this.database.execute<{ laneId: number }>(statement, this.sought(name))).rows[0] ?? null;
  }

  /** What the member is called by once erased. */
  nameOnceErased(memberId: string): string {
    return erasedName(this.keys.mac, memberId);
  }

  /** Null where there is none of that name. */
  async state(name: MemberName): Promise<MemberState | null> {
    const row = (await this.database.execute<MemberRow>(memberStatement, this.sought(name))).rows[0];
    if (row === undefined) return null;
    const { wrapped_key: wrapped, ...story } = row;
    const key = wrapped === null ? null : this.keys.members.learn(row.laneId, wrapped);
    const shown = await this.shownPass({ laneId: row.laneId, key });
    return { ...story, key, isErased: key === null, ...shown };
  }

  /** What became of one of their intents. */
  async historyOf(place: IdentityPlace): Promise<ReadHistory> {
    const [history] = (await loadHistories(this.database, [place])).values();
    return history ?? { events: [] };
  }

  /** What was last sent, in the order in which it took effect; nothing while their lane is not at rest. */
  async contentsOf(member: Pick<MemberState, 'laneId' | 'key'>): Promise<SentHistory['sent']> {
    return (await loadSentContents(this.database, [member], this.keys.members)).get(member.laneId)?.sent ?? [];
  }

  private sought(name: MemberName): SqlParameter[] {
    return [name.program, new SoughtNames(this.keys.mac, [name]).memberIds];
  }

  private async shownPass({ laneId, key }: Pick<MemberState, 'laneId' | 'key'>): Promise<ShownPass> {
    const lanes = key === null ? [] : [{ laneId, key }];
    const evidence = (await findPassEvidence(this.database, lanes, this.keys.members)).get(laneId);
    if (evidence === undefined) return nothingShown;
    return { pass: issuedPass(evidence), personId: passNameIn(evidence).personId ?? null };
  }
}
