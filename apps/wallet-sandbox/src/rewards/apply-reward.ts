import { numberText } from '../store/exact-json.js';
import { applied, type EffectResult, refused, type RewardEffect } from '../effects/effect.js';
import { recordEffect, type WorkingSet } from '../effects/working-set.js';
import { describeHandle, type Pass, toWalletPass } from '../passes/pass.js';

/** 4.6: adds the reward's points (negative: takes them) to the pass. Nothing stops the same reward from coming twice. */
export function applyReward(state: WorkingSet, effect: RewardEffect, nowMs: number): EffectResult {
  const known = state.findPass(effect.program, effect.handle);
  if (known === null) {
    const { by, value } = describeHandle(effect.handle);
    return refused(effect.call.wording.noSuchPass(by, value));
  }
  const pass = addPoints(known, effect.reward.points, nowMs);
  state.putPass(pass);
  recordEffect(state, { effect, pass, nowMs });
  return applied(toWalletPass(pass, effect.call.origin));
}

function addPoints(pass: Pass, points: number, nowMs: number): Pass {
  if (points === 0) return { ...pass, updatedAt: nowMs };
  const before = numberText(pass.passdata['points']) ?? '0';
  const after = Number(before) + points;
  return { ...pass, passdata: { ...pass.passdata, points: after }, updatedAt: nowMs };
}
