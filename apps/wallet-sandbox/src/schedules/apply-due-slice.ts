import type { Database, SqlSession } from '#platform';
import type { Wording } from '../contract/wordings.js';
import { applyEffect } from '../effects/apply-effect.js';
import { loadState } from '../effects/load-state.js';
import { saveState } from '../effects/save-state.js';
import { takeTurn } from '../effects/take-turn.js';
import type { Catalogue } from '../seed/catalogue.js';
import { saveProgress } from './save-progress.js';
import type { UnfinishedSchedule } from './schedule.js';
import { scheduledChange } from './scheduled-change.js';
import { selectDueSchedule } from './select-due-schedule.js';
import { selectSlice } from './select-slice.js';

/** Requests that come meanwhile wait for one slice at most. */
const sliceSizeMax = 200;

interface SliceSettings {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly wording: Wording;
}

interface Slice {
  readonly schedule: UnfinishedSchedule;
  readonly untilPassId: number;
  readonly nowMs: number;
}

/**
 * Applies the next part of the first schedule that is due, as one writer among the others: the passes that match now,
 * each with its entry in the ledger, and how far the schedule has come, in one transaction. So no pass is changed twice,
 * whoever does it and wherever it is killed. `onBegun` learns which schedule it is before anything can go wrong.
 */
export function applyDueSlice(settings: SliceSettings, onBegun: (scheduleId: number) => void): Promise<void> {
  return settings.database.transaction('sandbox_scheduled_changes', async (session) => {
    const { lastId } = await takeTurn(session, settings.catalogue);
    const nowMs = Date.now();
    const schedule = await selectDueSchedule(session, nowMs);
    if (schedule === null) return;
    onBegun(schedule.scheduleId);
    await applySlice(session, settings, { schedule, untilPassId: schedule.untilPassId ?? lastId, nowMs });
  });
}

/** A pass whose change is refused (another cardholder holds the value of a unique attribute) stays as it is. */
async function applySlice(session: SqlSession, settings: SliceSettings, slice: Slice): Promise<void> {
  const { schedule, untilPassId, nowMs } = slice;
  const { scheduleId, afterPassId } = schedule;
  const program = settings.catalogue.find(schedule);
  const request = { schedule, afterPassId, untilPassId, sizeMax: sliceSizeMax };
  const passes = program === null ? [] : await selectSlice(session, request);
  const effects = passes.flatMap((pass) =>
    program === null ? [] : [scheduledChange(pass, { schedule, program, wording: settings.wording })],
  );
  const state = await loadState(session, settings.catalogue, effects);
  for (const effect of effects) applyEffect(state, effect, nowMs);
  await saveState(session, state);
  const isDone = passes.length < sliceSizeMax;
  const reached = passes.at(-1)?.passId ?? afterPassId;
  await saveProgress(session, { scheduleId, afterPassId: reached, untilPassId, doneAt: isDone ? nowMs : null });
}
