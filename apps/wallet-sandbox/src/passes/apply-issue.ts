import { applied, type EffectResult, type IssueEffect, refused } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import type { Pass, Person } from './pass.js';
import { mergePass, mergePerson } from './merge-content.js';
import { checkContent } from './check-content.js';
import { checkMetaData } from './check-meta-data.js';
import { findTaken, holdMetaData } from './hold-meta-data.js';
import { activeStatus } from './status.js';
import { nameOf } from './unique-id.js';
import { toWalletPass } from './wallet-pass-answer.js';

/** 4.2 and an issuing workflow: one pass per unique id in a program; the person is created when absent. */
export function applyIssue(state: WorkingSet, effect: IssueEffect, nowMs: number): EffectResult {
  const { program, uniqueId, call, content } = effect;
  const { wording } = call;
  const problem =
    checkContent(program, content, wording) ?? checkMetaData(program.brand, { content, use: 'issue', wording });
  if (problem !== null) return refused(problem);
  if (call.enforceUnique && state.findPass(program, { uniqueId }) !== null) {
    return refused(wording.passExists(nameOf(program.uniqueIdentifier), uniqueId));
  }
  const taken = findTaken(state, effect);
  if (taken !== null) return refused(taken);
  const person = createOrMergePerson(state, effect);
  const pass = buildPass(effect, { passId: state.nextId(), personId: person.personId, nowMs });
  state.putPass(pass);
  holdMetaData(state, program, pass);
  recordEffect(state, { effect, pass, nowMs });
  return applied(toWalletPass(pass, call.origin));
}

function createOrMergePerson(state: WorkingSet, effect: IssueEffect): Person {
  const { brandId } = effect.program;
  const known = state.findPerson(brandId, effect.uniqueId) ?? {
    personId: `P${state.nextId()}`,
    brandId,
    uniqueId: effect.uniqueId,
    attributes: {},
  };
  const person = mergePerson(known, effect.content);
  state.putPerson(person);
  return person;
}

interface NewPass {
  readonly passId: number;
  readonly personId: string;
  readonly nowMs: number;
}

/** Made as an update of a blank pass: both read a request's content in the same way. */
function buildPass(effect: IssueEffect, created: NewPass): Pass {
  const { program, content } = effect;
  const blank: Pass = {
    passId: created.passId,
    brandId: program.brandId,
    programId: program.programId,
    uniqueId: effect.uniqueId,
    personId: created.personId,
    serialNumber: `WS-${String(created.passId).padStart(10, '0')}`,
    templateId: program.templates[0]?.id ?? 0,
    templateTierId: null,
    groupId: null,
    currentMessage: null,
    smsSubscription: null,
    ipAddress: null,
    passdata: {},
    ...activeStatus,
    createdAt: created.nowMs,
    updatedAt: created.nowMs,
  };
  return mergePass(blank, content, created.nowMs);
}
