import { Injectable } from '@nestjs/common';

import type { QuarantineFilter } from '#intents';
import { quarantineFilterCondition, QuarantineRepository } from '#intents';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import type { JobSelection } from '../../job-repository.js';
import { NotFrozenError, replayItemsMax } from '../replay/replay-items.js';

/** In the order in which they came, so that each member's stay in theirs. `$1` to `$11`: the filter. */
const freezeStatement: SqlStatement = {
  name: 'freeze_records',
  text: `
INSERT INTO job_item (job_id, ordinal, quarantine_id, forecast, overtaken)
SELECT $12, row_number() OVER (ORDER BY topic, partition, quarantine_id), quarantine_id, $13, 0
FROM (
  SELECT q.topic, q.partition, q.quarantine_id FROM quarantine q
  WHERE q.state = 'open' AND ${quarantineFilterCondition}
  ORDER BY q.topic, q.partition, q.quarantine_id LIMIT ${replayItemsMax + 1}
) selected`,
};

const nextStatement: SqlStatement = {
  name: 'next_records',
  text: `
SELECT ordinal, quarantine_id AS record FROM job_item
WHERE job_id = $1 AND state = 'waiting' AND ordinal > $2::int ORDER BY ordinal LIMIT $3::int`,
};

/** Rules that are named, at most. */
const rulesMax = 20;

const sumStatement: SqlStatement = {
  name: 'sum_records',
  isRead: true,
  text: `
SELECT (SELECT count(*) FROM job_item WHERE job_id = $1) AS items, NULL AS members,
  (SELECT COALESCE(jsonb_object_agg(forecast, items), '{}') FROM (
    SELECT forecast, count(*) AS items FROM job_item WHERE job_id = $1 GROUP BY forecast) f) AS "byForecast",
  (SELECT COALESCE(jsonb_agg(jsonb_build_object('currency', currency,
      'minor', trunc(amount * 10::numeric ^ scale(amount)), 'digits', scale(amount)) ORDER BY currency), '[]')
    FROM (SELECT q.currency, sum(q.amount) AS amount FROM job_item JOIN quarantine q USING (quarantine_id)
      WHERE job_id = $1 AND q.amount IS NOT NULL AND q.currency IS NOT NULL GROUP BY q.currency) sums) AS money,
  (SELECT COALESCE(jsonb_agg(jsonb_build_object('rule', rule, 'records', records) ORDER BY records DESC, rule), '[]')
    FROM (SELECT regexp_replace(regexp_replace(detail, '^(\\w+: )?event \\d+ of \\d+: ', '\\1'), '\\d+', '#', 'g') AS rule, count(*) AS records
      FROM job_item WHERE job_id = $1 AND forecast IN ('refused-again', 'cannot-be-corrected', 'needs-admin') AND detail IS NOT NULL
      GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${rulesMax}) rules) AS "refusedBy"`,
};

export interface FrozenRecord {
  readonly ordinal: number;
  /** Its id in quarantine. */
  readonly record: number;
}

/** Records set aside that jobs have frozen. */
@Injectable()
export class RecordItemRepository {
  constructor(
    private readonly database: Database,
    private readonly records: QuarantineRepository,
  ) {}

  /**
   * Freezes what is open now and fits the filter.
   * @throws {NotFrozenError}
   */
  async freeze(
    session: SqlSession,
    {
      jobId,
      filter,
      forecast,
    }: { readonly jobId: string; readonly filter: QuarantineFilter; readonly forecast: string },
  ): Promise<JobSelection> {
    const parameters = [...this.records.parametersOf(filter), jobId, forecast];
    const { rowCount } = await session.query(freezeStatement, parameters);
    if (rowCount === 0) throw new NotFrozenError('empty');
    if (rowCount > replayItemsMax) throw new NotFrozenError('too-many');
    return this.sum(session, jobId);
  }

  /** Those that nobody has dealt with, in their order, behind an ordinal. */
  async next(
    jobId: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<FrozenRecord[]> {
    return (await this.database.execute<FrozenRecord>(nextStatement, [jobId, after, limit])).rows;
  }

  async sum(session: SqlSession, jobId: string): Promise<JobSelection> {
    const [selection] = (await session.query<JobSelection>(sumStatement, [jobId])).rows;
    if (selection === undefined) throw new Error('a count returned nothing');
    return selection;
  }
}
