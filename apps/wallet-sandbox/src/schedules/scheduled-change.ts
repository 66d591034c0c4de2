import type { Wording } from '../contract/wordings.js';
import type { UpdateEffect } from '../effects/effect.js';
import type { Program } from '../seed/catalogue.js';
import type { Schedule } from './schedule.js';
import type { SlicePass } from './select-slice.js';

interface ScheduleInForce {
  readonly schedule: Schedule;
  readonly program: Program;
  readonly wording: Wording;
}

/** What a schedule does to one pass. The ledger will name the request that asked for it, and the schedule as its target. */
export function scheduledChange({ passId, uniqueId }: SlicePass, inForce: ScheduleInForce): UpdateEffect {
  const { schedule, program, wording } = inForce;
  const { brandId, programId, requestId, arrivedAt, change } = schedule;
  return {
    operation: 'scheduled-change',
    call: {
      operation: 'schedule-update',
      brandId,
      programId,
      targetId: String(schedule.scheduleId),
      requestId,
      arrivedAt,
      // Nobody waits for an answer, so nobody reads its links.
      origin: '',
      wording,
      enforceUnique: true,
    },
    program,
    uniqueId,
    passId,
    content: change,
    body: change,
  };
}
