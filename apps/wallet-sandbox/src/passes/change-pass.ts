import type { PassContent } from '../contract/wallet-pass.js';
import type { WorkingSet } from '../effects/working-set.js';
import type { Call } from '../http/call.js';
import type { Program } from '../seed/catalogue.js';
import { checkContent } from './check-content.js';
import { checkMetaData } from './check-meta-data.js';
import { findTaken, holdMetaData } from './hold-meta-data.js';
import { mergePass, mergePerson } from './merge-content.js';
import type { Pass } from './pass.js';

interface PassChange {
  readonly program: Program;
  readonly pass: Pass;
  readonly content: PassContent;
  readonly call: Pick<Call, 'wording' | 'enforceUnique'>;
}

type ChangedPass =
  { readonly kind: 'changed'; readonly pass: Pass } | { readonly kind: 'refused'; readonly message: string };

/** Changes the given fields of a pass and of its person and clears what is null, unless the catalogue forbids it. */
export function changePass(state: WorkingSet, change: PassChange, nowMs: number): ChangedPass {
  const { program, pass: known, content, call } = change;
  const { uniqueId } = known;
  const { wording } = call;
  const problem =
    checkContent(program, content, wording) ??
    checkMetaData(program.brand, { content, use: 'update', wording }) ??
    findTaken(state, { program, uniqueId, content, call });
  if (problem !== null) return { kind: 'refused', message: problem };
  const pass = mergePass(known, content, nowMs);
  state.putPass(pass);
  holdMetaData(state, program, pass);
  const person = state.findPerson(program.brandId, uniqueId);
  if (person !== null) state.putPerson(mergePerson(person, content));
  return { kind: 'changed', pass };
}
