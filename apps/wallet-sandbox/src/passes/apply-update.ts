import { applied, type EffectResult, refused, type UpdateEffect } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import { checkContent } from './check-content.js';
import { mergePass, mergePerson } from './merge-content.js';
import { nameOf } from './unique-id.js';
import { toWalletPass } from './wallet-pass-answer.js';

/** An updating workflow (4.3): changes the given fields of an existing pass and of its person. */
export function applyUpdate(state: WorkingSet, effect: UpdateEffect, nowMs: number): EffectResult {
  const { program, uniqueId, content, call } = effect;
  const problem = checkContent(program, content);
  if (problem !== null) return refused(problem);
  const known = state.findPass(program, { uniqueId });
  if (known === null) return refused(call.wording.noSuchPass(nameOf(program.uniqueIdentifier), uniqueId));
  const pass = mergePass(known, content, nowMs);
  state.putPass(pass);
  const person = state.findPerson(program.brandId, uniqueId);
  if (person !== null) state.putPerson(mergePerson(person, content));
  recordEffect(state, { effect, pass, nowMs });
  return applied(toWalletPass(pass, call.origin));
}
