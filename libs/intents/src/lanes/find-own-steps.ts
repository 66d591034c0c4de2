import type { Database, SqlStatement } from '#platform';

import { attemptOf } from '../events/stored-event.js';
import type { LaneStep, StepResult } from './lane-step.js';

const statement: SqlStatement = {
  name: 'find_own_steps',
  text: `
SELECT DISTINCT w.lane_id, w.epoch, w.is_begin
FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::text[], $6::boolean[])
  AS w (lane_id, seq, attempt, epoch, type, is_begin)
JOIN intent_event e ON e.lane_id = w.lane_id AND e.seq = w.seq AND e.attempt = w.attempt AND e.epoch = w.epoch
  AND e.type = w.type`,
};

interface Mark {
  readonly laneId: number;
  readonly seq: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly type: string;
  readonly isBegin: boolean;
}

/** One text per lane and lease: the same lane may appear twice, under an old lease and a new one. */
export function stepKey({ laneId, epoch }: { readonly laneId: number; readonly epoch: number }): string {
  return `${laneId}:${epoch}`;
}

function marksOf(step: LaneStep): Mark[] {
  const { laneId, epoch } = step;
  const first = step.completion?.events[0];
  const marks: Mark[] = [];
  if (first !== undefined) {
    const { seq, event } = first;
    marks.push({ laneId, seq, attempt: attemptOf(event), epoch, type: event.type, isBegin: false });
  }
  if (step.begin !== null) {
    const { seq, attempt } = step.begin;
    marks.push({ laneId, seq, attempt, epoch, type: 'AttemptBegun', isBegin: true });
  }
  return marks;
}

/**
 * Which of these steps a lost call had committed after all, by their own events: (seq, attempt, epoch, type) is ours
 * alone, because the epoch is. Without this a lost COMMIT acknowledgement would look like being fenced and leave a
 * false late outcome.
 */
export async function findOwnSteps(database: Database, steps: readonly LaneStep[]): Promise<Map<string, StepResult>> {
  const marks = steps.flatMap(marksOf);
  const { rows } = await database.execute<{ lane_id: number; epoch: number; is_begin: boolean }>(statement, [
    marks.map((mark) => mark.laneId),
    marks.map((mark) => mark.seq),
    marks.map((mark) => mark.attempt),
    marks.map((mark) => mark.epoch),
    marks.map((mark) => mark.type),
    marks.map((mark) => mark.isBegin),
  ]);
  const found = new Map<string, StepResult>();
  for (const row of rows) {
    const lease = { laneId: row.lane_id, epoch: row.epoch };
    const known = found.get(stepKey(lease)) ?? { ...lease, completed: false, begun: false };
    found.set(stepKey(lease), row.is_begin ? { ...known, begun: true } : { ...known, completed: true });
  }
  for (const step of steps) {
    const known = found.get(stepKey(step));
    // A completion may have no event of its own; it was granted if the begin merged with it was.
    if (known?.begun && step.completion !== null) found.set(stepKey(step), { ...known, completed: true });
  }
  return found;
}
