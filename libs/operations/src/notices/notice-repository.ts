import { Injectable } from '@nestjs/common';

import type { Notice, NoticeCondition } from '#contracts';
import type { AuditContext } from '#intents';
import { recordAction, timestamp } from '#intents';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import type { OverCondition, SeenCondition, Untold } from './compose-notice.js';
import type { Condition, Doubts } from './conditions.js';
import type { Channel } from './notice-settings.js';

/** Notices of a channel that are kept. */
const noticesKeptMax = 100;
/** Shown at once. */
const noticesShownMax = 50;
/** Whose doubts are counted, those with the most. */
const programsMax = 1_000;

const doubtsStatement: SqlStatement = {
  name: 'count_parked_doubts',
  text: `
SELECT program_id AS program, count(*) AS intents FROM intent_standing
WHERE status = 'parked' AND reason = 'unknown-outcome' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${programsMax}`,
};

const lockLookStatement: SqlStatement = {
  name: 'lock_notice_look',
  isRead: true,
  text: 'SELECT looked_at AS "lookedAt" FROM notice_look FOR UPDATE SKIP LOCKED',
};
const moveLookStatement: SqlStatement = {
  name: 'move_notice_look',
  text: 'UPDATE notice_look SET looked_at = $1::timestamptz',
};
const findLookStatement: SqlStatement = {
  name: 'find_notice_look',
  text: 'SELECT looked_at AS "lookedAt" FROM notice_look',
};

const keepConditionsStatement: SqlStatement = {
  name: 'keep_notice_conditions',
  text: `
WITH now_there AS (SELECT * FROM unnest($1::text[], $2::text[]) AS each (key, detail)),
gone AS (DELETE FROM notice_condition c WHERE NOT EXISTS (SELECT FROM now_there n WHERE n.key = c.key))
INSERT INTO notice_condition AS c (key, since, detail) SELECT key, $3::timestamptz, detail::jsonb FROM now_there ORDER BY key
ON CONFLICT (key) DO UPDATE SET detail = EXCLUDED.detail WHERE c.detail <> EXCLUDED.detail`,
};

const markOverStatement: SqlStatement = {
  name: 'mark_notices_over',
  text: `
UPDATE notice_told t SET over_at = CASE WHEN s.stands THEN NULL ELSE $1::timestamptz END
FROM (SELECT channel, key, key IN (SELECT key FROM notice_condition) AS stands FROM notice_told) s
WHERE s.channel = t.channel AND s.key = t.key AND s.stands = (t.over_at IS NOT NULL)`,
};

const untoldStatement: SqlStatement = {
  name: 'list_untold_conditions',
  text: `
SELECT key, since, detail FROM notice_condition c
WHERE NOT EXISTS (SELECT FROM notice_told t WHERE t.channel = $1 AND t.key = c.key) ORDER BY since, key`,
};

const overStatement: SqlStatement = {
  name: 'list_conditions_over',
  text: `
SELECT key, since, detail, over_at AS "overAt" FROM notice_told
WHERE channel = $1 AND over_at IS NOT NULL ORDER BY over_at, key`,
};

const lastNoticeStatement: SqlStatement = {
  name: 'find_last_notice',
  text: `
SELECT max(made_at) FILTER (WHERE NOT is_trial) AS "lastMadeAt", count(*) FILTER (WHERE due_at IS NOT NULL) > 0 AS "isUnderWay"
FROM notice WHERE channel = $1`,
};

const addStatement: SqlStatement = {
  name: 'add_notice',
  text: `
INSERT INTO notice (notice_id, channel, is_trial, made_at, content, begun, over, due_at)
VALUES (gen_random_uuid(), $1, false, $2::timestamptz, $3::jsonb, $4::text[], $5::text[], $2::timestamptz)`,
};

const addTrialStatement: SqlStatement = {
  name: 'add_notice_trial',
  text: `
INSERT INTO notice (notice_id, channel, is_trial, made_at, content, attempts, delivered_at, problem)
VALUES ($1::uuid, $2, true, $3::timestamptz, $4::jsonb, 1, $5::timestamptz, $6)`,
};

const dropStatement: SqlStatement = {
  name: 'drop_notices',
  text: `
DELETE FROM notice WHERE due_at IS NULL AND notice_id IN (
  SELECT notice_id FROM notice WHERE channel = $1 ORDER BY made_at DESC, notice_id OFFSET ${noticesKeptMax})`,
};

/** The attempt counts before it is made: a process that dies in it has made one. */
const claimStatement: SqlStatement = {
  name: 'claim_notice',
  text: `
UPDATE notice SET attempts = attempts + 1, due_at = $2::timestamptz
WHERE notice_id = (
  SELECT notice_id FROM notice WHERE due_at <= $1::timestamptz AND channel = ANY ($3::text[])
  ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING notice_id AS "noticeId", channel, content, attempts`,
};

/** Who has claimed it since then settles it. */
const settleStatement: SqlStatement = {
  name: 'settle_notice',
  text: `
UPDATE notice SET due_at = $3::timestamptz, delivered_at = $4::timestamptz, problem = $5
WHERE notice_id = $1::uuid AND attempts = $2 AND due_at IS NOT NULL RETURNING channel, made_at AS "madeAt"`,
};

/** What is told is what stood when the notice was made. */
const tellStatement: SqlStatement = {
  name: 'keep_told_conditions',
  text: `
WITH told AS (SELECT channel, begun, over, made_at FROM notice WHERE notice_id = $1::uuid),
forgotten AS (
  DELETE FROM notice_told t USING told n WHERE t.channel = n.channel AND t.key = ANY (n.over))
INSERT INTO notice_told (channel, key, since, detail, over_at)
SELECT n.channel, b.key, (b.item->>'since')::timestamptz, b.item->'detail',
  CASE WHEN c.key IS NULL THEN $2::timestamptz END
FROM told n CROSS JOIN LATERAL unnest(n.begun) AS each (text)
CROSS JOIN LATERAL (SELECT each.text::jsonb->>'key' AS key, each.text::jsonb AS item) b
LEFT JOIN notice_condition c ON c.key = b.key
ON CONFLICT (channel, key) DO NOTHING`,
};

const listStatement: SqlStatement = {
  name: 'list_notices',
  text: `
SELECT notice_id AS "noticeId", channel, is_trial AS "isTrial", made_at AS "madeAt", content, attempts, due_at AS "dueAt",
  delivered_at AS "deliveredAt", problem
FROM notice ORDER BY made_at DESC, notice_id LIMIT ${noticesShownMax}`,
};

const conditionsStatement: SqlStatement = {
  name: 'list_notice_conditions',
  text: 'SELECT key, since, detail FROM notice_condition ORDER BY since, key',
};

const undeliveredStatement: SqlStatement = {
  name: 'find_undelivered_notices',
  text: `
SELECT channel, count(*) AS notices, min(made_at) AS since, bool_or(due_at IS NULL) AS "isGivenUp",
  (array_agg(problem ORDER BY made_at DESC))[1] AS problem
FROM notice n WHERE delivered_at IS NULL AND problem IS NOT NULL AND made_at > COALESCE(
  (SELECT max(made_at) FROM notice d WHERE d.channel = n.channel AND d.delivered_at IS NOT NULL), '-infinity')
GROUP BY 1 ORDER BY 1`,
};

/** A notice that this process is to send. */
export interface ClaimedNotice {
  readonly noticeId: string;
  readonly channel: Channel;
  readonly content: Notice;
  /** With this one. */
  readonly attempts: number;
}

/** How an attempt ended. Times in epoch ms. */
export interface AttemptEnd {
  /** Null: it is not tried again. */
  readonly nextAt: number | null;
  /** Null: it was taken. */
  readonly problem: string | null;
  readonly now: number;
}

/** A notice as it is kept. Times in epoch ms. */
export interface KeptNotice extends ClaimedNotice {
  readonly isTrial: boolean;
  readonly madeAt: number;
  readonly dueAt: number | null;
  readonly deliveredAt: number | null;
  readonly problem: string | null;
}

/** What a channel has not taken since it last took one. */
export interface Undelivered {
  readonly channel: Channel;
  readonly notices: number;
  /** Epoch ms. */
  readonly since: number;
  readonly isGivenUp: boolean;
  readonly problem: string;
}

interface NewNotice extends Pick<KeptNotice, 'channel' | 'content' | 'madeAt'> {
  readonly begun: readonly SeenCondition[];
  readonly over: readonly OverCondition[];
}

interface Look {
  readonly lookedAt: number;
}

/** What is wrong, who was told, and what is on its way. */
@Injectable()
export class NoticeRepository {
  constructor(private readonly database: Database) {}

  /** When somebody looked last, epoch ms. */
  async lookedAt(): Promise<number> {
    return (await this.database.execute<Look>(findLookStatement)).rows[0]?.lookedAt ?? 0;
  }

  /**
   * Keeps what is wrong, unless somebody else does or has done so after `since`, and adds what is to be told.
   * @param since epoch ms
   */
  async look(
    {
      now,
      since,
      conditions,
    }: { readonly now: number; readonly since: number; readonly conditions: readonly Condition[] },
    add: (session: SqlSession) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction('look_for_notices', async (session) => {
      const look = (await session.query<Look>(lockLookStatement)).rows[0];
      if (look === undefined || look.lookedAt > since) return;
      const details = conditions.map(({ detail }) => JSON.stringify(detail));
      await session.query(keepConditionsStatement, [conditions.map(({ key }) => key), details, timestamp(now)]);
      await session.query(markOverStatement, [timestamp(now)]);
      await add(session);
      await session.query(moveLookStatement, [timestamp(now)]);
    });
  }

  /** What a channel has not been told; null while a notice to it is under way. */
  async findUntold(session: SqlSession, channel: Channel): Promise<Untold | null> {
    const [last] = (
      await session.query<{ lastMadeAt: number | null; isUnderWay: boolean }>(lastNoticeStatement, [channel])
    ).rows;
    if (last === undefined || last.isUnderWay) return null;
    const begun = (await session.query<SeenCondition>(untoldStatement, [channel])).rows;
    const over = (await session.query<OverCondition>(overStatement, [channel])).rows;
    return { begun, over, lastMadeAt: last.lastMadeAt };
  }

  async add(session: SqlSession, { channel, content, madeAt, begun, over }: NewNotice): Promise<void> {
    const items = begun.map(({ key, since, detail }) => JSON.stringify({ key, since: timestamp(since), detail }));
    await session.query(addStatement, [
      channel,
      timestamp(madeAt),
      JSON.stringify(content),
      items,
      over.map(({ key }) => key),
    ]);
    await session.query(dropStatement, [channel]);
  }

  /** @param due epoch ms: another process may send it then, if this one has not settled it */
  async claim(channels: readonly Channel[], now: number, due: number): Promise<ClaimedNotice | null> {
    const parameters = [timestamp(now), timestamp(due), channels];
    return (await this.database.execute<ClaimedNotice>(claimStatement, parameters)).rows[0] ?? null;
  }

  /** Nothing, where somebody else has claimed it since. */
  async settle({ noticeId, attempts }: ClaimedNotice, { nextAt, problem, now }: AttemptEnd): Promise<void> {
    const isDelivered = problem === null;
    await this.database.transaction('settle_notice', async (session) => {
      const settled = await session.query(settleStatement, [
        noticeId,
        attempts,
        nextAt === null ? null : timestamp(nextAt),
        isDelivered ? timestamp(now) : null,
        problem,
      ]);
      if (settled.rows.length > 0 && isDelivered) await session.query(tellStatement, [noticeId, timestamp(now)]);
    });
  }

  async countDoubts(): Promise<readonly Doubts[]> {
    return (await this.database.execute<Doubts>(doubtsStatement)).rows;
  }

  /** Puts into the audit that somebody asks for a trial. */
  async recordTrial(audit: AuditContext): Promise<void> {
    await this.database.transaction('try_notices', (session) =>
      recordAction(session, { audit, action: 'notices.trial', place: null }),
    );
  }

  /** A trial that was made, whatever came of it. */
  async addTrial({ noticeId, channel, content, madeAt, deliveredAt, problem }: KeptNotice): Promise<void> {
    await this.database.transaction('add_notice_trial', async (session) => {
      const at = deliveredAt === null ? null : timestamp(deliveredAt);
      const parameters = [noticeId, channel, timestamp(madeAt), JSON.stringify(content), at, problem];
      await session.query(addTrialStatement, parameters);
      await session.query(dropStatement, [channel]);
    });
  }

  /** The last ones, the newest first. */
  async list(): Promise<readonly KeptNotice[]> {
    return (await this.database.execute<KeptNotice>(listStatement)).rows;
  }

  /** What stands, as it was last seen. */
  async listConditions(): Promise<readonly { readonly since: number; readonly detail: NoticeCondition }[]> {
    return (await this.database.execute<SeenCondition>(conditionsStatement)).rows;
  }

  /** Of the channels that did not take their last notices. */
  async findUndelivered(): Promise<readonly Undelivered[]> {
    return (await this.database.execute<Undelivered>(undeliveredStatement)).rows;
  }
}
