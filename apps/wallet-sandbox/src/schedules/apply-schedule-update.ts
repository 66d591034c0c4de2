import { numberText } from '../store/exact-json.js';
import { applied, type EffectResult, refused, type ScheduleUpdateEffect } from '../effects/effect.js';
import { recordEffect, type WorkingSet } from '../effects/working-set.js';
import { checkContent } from '../passes/change-pass.js';
import { checkMetaData } from '../passes/meta-data.js';
import { nameOf, uniqueIdOf } from '../passes/unique-id.js';

/** 4.4: remembers a change for later. What it can know to be wrong already now is refused. */
export function applyScheduleUpdate(state: WorkingSet, effect: ScheduleUpdateEffect, nowMs: number): EffectResult {
  const { program, call, asked } = effect;
  const { wording } = call;
  const problem =
    checkContent(program, asked.change, wording) ??
    checkMetaData(program.brand, { content: asked.change, use: 'update', wording }) ??
    checkIdentifier(effect);
  if (problem !== null) return refused(problem);
  const { brandId, programId } = program;
  const { requestId, arrivedAt } = call;
  const scheduleId = state.nextId();
  state.schedules.push({ ...asked, scheduleId, brandId, programId, requestId, arrivedAt });
  recordEffect(state, { effect, uniqueId: effect.askedUniqueId, targetId: String(scheduleId), nowMs });
  return applied({ message: `Wallet update scheduled for ${new Date(asked.dueAt).toISOString()}` });
}

/** A change must not make a pass another cardholder's: it may name the one it is for, and no other. */
function checkIdentifier({ program, call, asked, askedIdentity }: ScheduleUpdateEffect): string | null {
  const { uniqueIdentifier } = program;
  const given = uniqueIdOf(uniqueIdentifier, asked.change);
  const isTheOne = (typeof given === 'string' ? given : numberText(given)) === askedIdentity;
  if (given === undefined || isTheOne) return null;
  return call.wording.invalid(nameOf(uniqueIdentifier), 'is the unique identifier and cannot be changed');
}
