import type { PassContent } from '../contract/wallet-pass.js';
import type { Wording } from '../contract/wordings.js';
import { applied, type EffectResult, type IssuingEffect, refused, type UpdateEffect } from '../effects/effect.js';
import { recordEffect, type WorkingSet } from '../effects/working-set.js';
import type { Program } from '../seed/catalogue.js';
import { checkMetaData, heldMetaData, isKeptUnique, uniqueMetaData } from './meta-data.js';
import { activeStatus, mergePass, mergePerson, type Pass, type Person, toWalletPass } from './pass.js';
import { handleOf, nameOf, withUniqueId } from './unique-id.js';

/** 4.2 and an issuing workflow: one pass per unique id in a program; the person is created when absent. */
export function applyIssue(state: WorkingSet, effect: IssuingEffect, nowMs: number): EffectResult {
  const { program, identity, call, content } = effect;
  const { wording } = call;
  const problem =
    checkContent(program, content, wording) ?? checkMetaData(program.brand, { content, use: 'issue', wording });
  if (problem !== null) return refused(problem);
  if (call.enforceUnique && state.findPass(program, handleOf(program, identity)) !== null) {
    return refused(wording.passExists(nameOf(program.uniqueIdentifier), identity));
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

function createOrMergePerson(state: WorkingSet, effect: IssuingEffect): Person {
  const { brandId } = effect.program;
  const known = state.findPerson(brandId, effect.identity) ?? {
    personId: `P${state.nextId()}`,
    brandId,
    identity: effect.identity,
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
function buildPass(effect: IssuingEffect, created: NewPass): Pass {
  const { program, content } = effect;
  const blank: Pass = {
    passId: created.passId,
    brandId: program.brandId,
    programId: program.programId,
    uniqueId: null,
    identity: effect.identity,
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
  return withUniqueId(program, mergePass(blank, content, created.nowMs));
}

/**
 * An updating workflow (4.3) or a schedule whose time has come (4.4): changes the given fields of an existing pass and
 * of its person and clears what is null, unless the catalogue forbids it. Where there is no pass a workflow issues one:
 * "issues or updates" is all that the specification says of what it does.
 */
export function applyUpdate(state: WorkingSet, effect: UpdateEffect, nowMs: number): EffectResult {
  const { program, identity, passId, content, call } = effect;
  const { wording } = call;
  const known = state.findPass(program, { ...handleOf(program, identity), passId });
  if (known === null && effect.operation === 'update-via-workflow') {
    return applyIssue(state, { ...effect, operation: effect.operation }, nowMs);
  }
  if (known === null) return refused(wording.noSuchPass(nameOf(program.uniqueIdentifier), identity));
  const problem =
    checkContent(program, content, wording) ??
    checkMetaData(program.brand, { content, use: 'update', wording }) ??
    findTaken(state, effect);
  if (problem !== null) return refused(problem);
  const pass = withUniqueId(program, mergePass(known, content, nowMs));
  state.putPass(pass);
  holdMetaData(state, program, pass);
  const person = state.findPerson(program.brandId, identity);
  if (person !== null) state.putPerson(mergePerson(person, content));
  recordEffect(state, { effect, pass, nowMs });
  return applied(toWalletPass(pass, call.origin));
}

/** What is wrong with an issue or update that fits its schema: ids that the program does not have. Null: nothing. */
export function checkContent(program: Program, content: PassContent, wording: Wording): string | null {
  const { templateId, templateTierId } = content;
  if (isNumber(templateId) && !program.templates.some((template) => template.id === templateId)) {
    return wording.invalid('templateId', `no template ${templateId}`);
  }
  if (isNumber(templateTierId) && !program.tiers.includes(templateTierId)) {
    return wording.invalid('templateTierId', `no tier ${templateTierId}`);
  }
  if (isOther(content.brandId, program.brandId)) return wording.invalid('brandId', 'is not the brand of the path');
  if (isOther(content.programId, program.programId)) {
    return wording.invalid('programId', 'is not the program of the path');
  }
  return null;
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}

function isOther(given: string | number | null | undefined, expected: string): boolean {
  return given !== null && given !== undefined && String(given) !== expected;
}

/** The refusal of a metaData value that another cardholder of the brand has under a unique attribute, or null. */
function findTaken(state: WorkingSet, effect: IssuingEffect | UpdateEffect): string | null {
  const { program, identity, content, call } = effect;
  if (!call.enforceUnique) return null;
  const values = uniqueMetaData(program.brand, content.passdata?.metaData ?? {});
  const taken = values.find((value) => state.metaData.isTaken(value, identity));
  return taken === undefined ? null : call.wording.passExists(`passdata.metaData.${taken.attribute}`, taken.value);
}

/** Notes which unique values a pass holds whose content has changed; nothing where the brand keeps none unique. */
function holdMetaData(state: WorkingSet, { brand }: Program, pass: Pass): void {
  if (brand.attributes.some((attribute) => isKeptUnique(brand, attribute))) {
    state.metaData.put(pass.passId, heldMetaData(brand, pass));
  }
}
