import { Injectable } from '@nestjs/common';

import type { LoadedCommand } from '#intents';
import { intentId, loadCommands, loadCommandsMax, MemberKeys, timestamp, within } from '#intents';
import type { IdentityPlace, PartnerCommand } from '#intents/core';
import type { SqlParameter, SqlSession, SqlStatement } from '#platform';
import { Database, int4Array, int8Array } from '#platform';

import type { ReplayFilter } from '../replay/replay-items.js';
import { isSelected, selectedParts } from '../replay/replay-items.js';
import type { SentCall } from './match-list.js';
import type { CallKey, DoubtfulRow } from './partner-list.js';
import { canonicalAmount } from './partner-list.js';

/** Calls of one download, or of one job, at most. */
export const doubtfulMax = 10_000;
/** Other calls that a list is held against, at most. */
export const rivalsMax = 50_000;

const sentColumns = `i.lane_id AS "laneId", i.seq, m.program_id AS program, m.member_id AS "memberId", i.purchase_id AS "purchaseId",
  i.currency, h.first_at AS "firstSentAt", h.last_at AS "lastSentAt",
  EXISTS (SELECT FROM lane_start b WHERE b.lane_id = i.lane_id) AS "hasRetired"`;

const sentOf = `CROSS JOIN LATERAL (SELECT min(at) AS first_at, max(at) AS last_at FROM intent_history
  WHERE lane_id = i.lane_id AND seq = i.seq AND type = 'AttemptBegun') h`;

const isOfList = `i.operation IN ('transaction', 'reward')`;

const listDoubtfulStatement: SqlStatement = {
  name: 'list_doubtful_calls',
  text: `
SELECT ${sentColumns}
FROM intent_standing s JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) ${sentOf}
WHERE $1::text IS NULL AND s.reason = 'unknown-outcome' AND ${isOfList} AND ${isSelected}
ORDER BY s.recorded_at, s.lane_id, s.seq LIMIT ${doubtfulMax + 1}`,
};

const readFrozenStatement: SqlStatement = {
  name: 'read_frozen_calls',
  text: `
SELECT ${sentColumns}
FROM job_item r JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) ${sentOf}
WHERE r.job_id = $1 AND ${isOfList} ORDER BY r.ordinal`,
};

/** Whatever else was sent for the same receipts, or of the same members' rewards. */
const readRivalsStatement: SqlStatement = {
  name: 'read_rival_calls',
  text: `
WITH frozen AS (
  SELECT i.lane_id, i.seq, i.operation, i.purchase_id FROM job_item r JOIN intent i USING (lane_id, seq) WHERE r.job_id = $1
), rival AS (
  SELECT i.lane_id, i.seq FROM frozen f JOIN intent i ON i.purchase_id = f.purchase_id AND i.operation = 'transaction'
  WHERE f.operation = 'transaction'
  UNION
  SELECT i.lane_id, i.seq FROM frozen f JOIN intent i ON i.lane_id = f.lane_id AND i.operation = 'reward'
  WHERE f.operation = 'reward'
  EXCEPT SELECT lane_id, seq FROM frozen
)
SELECT ${sentColumns}
FROM rival JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) ${sentOf}
WHERE h.last_at IS NOT NULL LIMIT ${rivalsMax + 1}`,
};

/** Events behind a place of the store, as many at once as one statement reads. */
const pageEvents = 20_000;
/** How far back of a time events may stand that tell of it: transactions end later than they begin. */
const orderedWithinMs = 3_600_000;
/** Pages that are read before the time is said to lie too far back. */
const pagesMax = 500;

const readDeliveriesStatement: SqlStatement = {
  name: 'read_delivery_page',
  text: `
WITH page AS MATERIALIZED (
  SELECT pos, lane_id, seq, type, at, data FROM intent_event WHERE pos < $1::bigint ORDER BY pos DESC LIMIT ${pageEvents}
)
SELECT (SELECT min(pos) FROM page) AS "before", (SELECT max(at) FROM page) AS newest, (SELECT count(*) FROM page) AS events,
  COALESCE((SELECT jsonb_agg(jsonb_build_array(lane_id, seq)) FROM page JOIN lane l USING (lane_id)
    WHERE l.program_id = $2 AND page.at >= $3::timestamptz AND page.at < $4::timestamptz
      AND (type IN ('AttemptApplied', 'VerifiedApplied') OR type = 'LateOutcome' AND data->>'outcome' = 'applied'
        OR type = 'IntentResolved' AND data->>'as' = 'delivered')), '[]') AS places`,
};

const readPlacesStatement: SqlStatement = {
  name: 'read_sent_calls',
  text: `
SELECT ${sentColumns}
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq) JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) ${sentOf}
WHERE ${isOfList}`,
};

interface SentRow extends IdentityPlace {
  readonly program: string;
  readonly memberId: string;
  readonly purchaseId: string | null;
  readonly currency: string | null;
  readonly firstSentAt: number | null;
  readonly lastSentAt: number | null;
  readonly hasRetired: boolean;
}

/** A call of ours with where it stands. */
export interface FoundCall extends SentCall, IdentityPlace {
  readonly program: string;
  readonly currency: string | null;
}

function keyOf(command: PartnerCommand, { purchaseId }: Pick<SentRow, 'purchaseId'>): CallKey | null {
  const { operation } = command;
  if (operation === 'reward') return { operation, type: command.rewardId, receipt: null, amount: null };
  if (operation !== 'transaction') return null;
  const { transactionTypeId: type, amount, uniqueAttribute } = command;
  return { operation, type, receipt: uniqueAttribute?.value ?? purchaseId, amount: canonicalAmount(amount) ?? amount };
}

const placeKey = ({ laneId, seq }: IdentityPlace): string => `${laneId}/${seq}`;

function toCall(row: SentRow, loaded: LoadedCommand | undefined): FoundCall[] {
  const { laneId, seq, program, memberId: member, currency, firstSentAt, lastSentAt } = row;
  const key = loaded?.current.kind === 'command' ? keyOf(loaded.current.command, row) : null;
  if (key === null) return [];
  const isUncertain = key.receipt === null && row.hasRetired;
  const intent = intentId({ program, memberId: member, seq });
  return [{ laneId, seq, program, member, currency, intent, ...key, firstSentAt, lastSentAt, isUncertain }];
}

interface DeliveryPage {
  readonly before: number | null;
  readonly newest: number | null;
  readonly events: number;
  readonly places: readonly (readonly [number, number])[];
}

interface Delivered {
  readonly program: string;
  readonly from: number;
  readonly to: number;
}

/** Backwards through what was recorded, until it is surely older. @throws {TooManyCallsError} */
async function deliveredPlaces(
  session: SqlSession,
  { program, from, to }: Delivered,
): Promise<ReadonlyMap<string, IdentityPlace>> {
  const places = new Map<string, IdentityPlace>();
  let before: number | null = Number.MAX_SAFE_INTEGER;
  for (let page = 0; before !== null; page += 1) {
    if (page === pagesMax || places.size > rivalsMax) throw new TooManyCallsError('too much was delivered since');
    const parameters = [before, program, timestamp(from), timestamp(to)];
    const { rows }: { readonly rows: DeliveryPage[] } = await session.query(readDeliveriesStatement, parameters);
    for (const [laneId, seq] of rows[0]?.places ?? []) places.set(placeKey({ laneId, seq }), { laneId, seq });
    before = pageBefore(rows[0], from);
  }
  return places;
}

function pageBefore(page: DeliveryPage | undefined, from: number): number | null {
  if (page === undefined || page.events < pageEvents) return null;
  return (page.newest ?? 0) < from - orderedWithinMs ? null : page.before;
}

/** There is more than one job, or one list, may be held against. */
export class TooManyCallsError extends Error {
  override readonly name = 'TooManyCallsError';
}

/** What was sent, as the partner knows it. Personal. */
@Injectable()
export class DoubtfulCallRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
  ) {}

  /** What is parked in doubt and fits the query, the oldest first. @throws {TooManyCallsError} */
  async list(query: ReplayFilter): Promise<DoubtfulRow[]> {
    const calls = await this.database.transaction('list_doubtful_calls', async (session) =>
      this.read(session, { statement: listDoubtfulStatement, max: doubtfulMax }, [null, ...selectedParts(query)]),
    );
    return calls.map(({ intent, member, operation, type, receipt, amount, currency, lastSentAt }) => {
      const isReward = operation === 'reward';
      const sentAt = lastSentAt === null ? null : new Date(lastSentAt).toISOString();
      const [of, reward] = isReward ? [null, type] : [type, null];
      return { intent, member, operation, type: of, receipt, reward, amount, currency, sentAt };
    });
  }

  /** @throws {TooManyCallsError} */
  async frozen(session: SqlSession, jobId: string): Promise<FoundCall[]> {
    return this.read(session, { statement: readFrozenStatement, max: doubtfulMax }, [jobId]);
  }

  /** What else the rows of a list may be of. @throws {TooManyCallsError} */
  async rivals(session: SqlSession, jobId: string): Promise<FoundCall[]> {
    return this.read(session, { statement: readRivalsStatement, max: rivalsMax }, [jobId]);
  }

  /** What is known to have been taken in that time, or a little before or after. @throws {TooManyCallsError} */
  async deliveries(session: SqlSession, { program, from, to }: Delivered): Promise<FoundCall[]> {
    const places = await deliveredPlaces(session, { program, from, to });
    const all = [...places.values()];
    const parameters = [int8Array(all.map(({ laneId }) => laneId)), int4Array(all.map(({ seq }) => seq))];
    return this.read(session, { statement: readPlacesStatement, max: rivalsMax }, parameters);
  }

  private async read(
    session: SqlSession,
    { statement, max }: { readonly statement: SqlStatement; readonly max: number },
    parameters: readonly SqlParameter[],
  ): Promise<FoundCall[]> {
    const { rows } = await session.query<SentRow>(statement, parameters);
    if (rows.length > max) throw new TooManyCallsError(`more than ${max} calls`);
    const calls: FoundCall[] = [];
    for (let from = 0; from < rows.length; from += loadCommandsMax) {
      const part = rows.slice(from, from + loadCommandsMax);
      const loaded = await loadCommands(within(session), part, this.keys);
      const byPlace = new Map(loaded.map((each) => [placeKey(each), each]));
      calls.push(...part.flatMap((row) => toCall(row, byPlace.get(placeKey(row)))));
    }
    return calls;
  }
}
