import { applied, type EffectResult, refused, type UpdateEffect } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import { changePass } from './change-pass.js';
import { nameOf } from './unique-id.js';
import { toWalletPass } from './wallet-pass-answer.js';

/** An updating workflow (4.3) or a schedule whose time has come (4.4): changes the given fields of an existing pass and of its person. */
export function applyUpdate(state: WorkingSet, effect: UpdateEffect, nowMs: number): EffectResult {
  const { program, uniqueId, passId, content, call } = effect;
  const known = state.findPass(program, { uniqueId, passId });
  if (known === null) return refused(call.wording.noSuchPass(nameOf(program.uniqueIdentifier), uniqueId));
  const changed = changePass(state, { program, pass: known, content, call }, nowMs);
  if (changed.kind === 'refused') return refused(changed.message);
  const { pass } = changed;
  recordEffect(state, { effect, pass, nowMs });
  return applied(toWalletPass(pass, call.origin));
}
