import type { SqlSession } from '#platform';
import { selectionSql } from '../passes/pass-condition.js';
import { statement } from '../store/statement.js';
import type { Schedule } from './schedule.js';

interface SliceRequest {
  readonly schedule: Schedule;
  readonly afterPassId: number;
  readonly untilPassId: number;
  readonly sizeMax: number;
}

export interface SlicePass {
  readonly passId: number;
  readonly uniqueId: string;
}

/** The next passes that a schedule is about, in order of pass id, as they are now. */
export async function selectSlice(session: SqlSession, request: SliceRequest): Promise<SlicePass[]> {
  const { suffix, where, parameters } = selectionSql(request.schedule);
  const next = parameters.length + 1;
  const selectSliceStatement = statement(
    `select_slice_${suffix}`,
    `SELECT p.pass_id AS "passId", p.unique_id AS "uniqueId" FROM wallet_sandbox.pass p
     WHERE ${where} AND p.pass_id > $${next} AND p.pass_id <= $${next + 1}
     ORDER BY p.pass_id LIMIT $${next + 2}`,
  );
  const bounds = [request.afterPassId, request.untilPassId, request.sizeMax];
  return (await session.query<SlicePass>(selectSliceStatement, [...parameters, ...bounds])).rows;
}
