import type { DeclaredProgram, DeclaredTransactionType, Program, ProgramsFile, TransactionMapping } from '#contracts';

import { canonicalJson } from '../owed/canonical-json.js';
import type { DeclaredThing, RecordedThing, ThingContent, ThingKey, ThingKind } from './thing.js';
import { declaredThings, isInDoubt, isUnderWay, thingKeyText } from './thing.js';

/** What is to be done about a declared thing, and why. */
export type Judgement =
  | { readonly action: 'create'; readonly why: 'not-made-yet' }
  | { readonly action: 'update'; readonly why: 'not-set-yet' | 'differs' | 'update-in-doubt' }
  | { readonly action: 'in-place'; readonly why: 'as-sent' }
  | { readonly action: 'unknown'; readonly why: 'under-way' | 'in-doubt' | 'may-still-apply' }
  | { readonly action: 'cannot-be-read'; readonly why: 'said-to-exist' }
  | { readonly action: 'cannot-be-changed'; readonly why: 'no-call' | 'no-id' };

export interface JudgementTimes {
  /** Epoch ms. */
  readonly now: number;
  /** How long a call may still take effect after we lost sight of it. */
  readonly inFlightMs: number;
}

/** Only these have an update at the partner (4.8, 4.11, 4.13). */
const changeable: ReadonlySet<ThingKind> = new Set<ThingKind>(['brand', 'brand-attribute', 'transaction-type']);

/**
 * Compares what is wanted with what we did ourselves, for nothing can be read. A create that may have taken effect is
 * never made again before a person has said what became of it; an update sets the same values once more, but not while
 * the one before could still overtake it.
 */
export function judgeThing(declared: DeclaredThing, recorded: RecordedThing | null, times: JudgementTimes): Judgement {
  if (recorded === null) return judgeUnplaced(declared);
  return judgeOpenCall(recorded, times) ?? judgeSettled(declared, recorded);
}

/** The partner's id of a thing; what the file says counts more than what we were answered. */
export function partnerIdOf(declared: DeclaredThing, recorded: RecordedThing | null): string | null {
  return declared.partnerId ?? recorded?.partnerId ?? null;
}

/** What we put in place under that id: nothing where the file names another than the one that we were answered. */
export function placedAs(
  partnerId: string | null,
  { partnerId: answered, placed }: RecordedThing,
): ThingContent | null {
  return answered !== null && answered !== partnerId ? null : placed;
}

function judgeOpenCall(recorded: RecordedThing, { now, inFlightMs }: JudgementTimes): Judgement | null {
  if (isUnderWay(recorded, now)) return { action: 'unknown', why: 'under-way' };
  if (!isInDoubt(recorded, now)) return null;
  if (recorded.action === 'create') return { action: 'unknown', why: 'in-doubt' };
  return now < recorded.at + inFlightMs
    ? { action: 'unknown', why: 'may-still-apply' }
    : { action: 'update', why: 'update-in-doubt' };
}

function judgeSettled(declared: DeclaredThing, recorded: RecordedThing): Judgement {
  const placed = placedAs(partnerIdOf(declared, recorded), recorded);
  if (placed === null) return judgeUnplaced(declared);
  if (isSame(placed, declared.content)) return { action: 'in-place', why: 'as-sent' };
  if (!changeable.has(declared.kind)) {
    return declared.exists
      ? { action: 'cannot-be-read', why: 'said-to-exist' }
      : { action: 'cannot-be-changed', why: 'no-call' };
  }
  return partnerIdOf(declared, recorded) === null
    ? { action: 'cannot-be-changed', why: 'no-id' }
    : { action: 'update', why: 'differs' };
}

function judgeUnplaced({ kind, partnerId, exists }: DeclaredThing): Judgement {
  if (changeable.has(kind) && partnerId !== null) return { action: 'update', why: 'not-set-yet' };
  return exists ? { action: 'cannot-be-read', why: 'said-to-exist' } : { action: 'create', why: 'not-made-yet' };
}

function isSame(one: ThingContent, other: ThingContent): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Something that the programs file says in two places, and not alike. */
export interface ProvisionWarning {
  readonly path: string;
  readonly warning: string;
}

/** A program and what is declared for it, be it under another name of the same program of the partner. */
interface ProvisionedProgram {
  readonly name: string;
  readonly program: Program;
  readonly declared: DeclaredProgram;
  /** Where. */
  readonly path: string;
}

/** Programs for which something is declared. @param only our name of the only one that is wanted; null for all */
function provisionedPrograms({ provision, programs }: ProgramsFile, only: string | null): ProvisionedProgram[] {
  const declared = new Map(
    Object.entries(provision?.programs ?? {}).flatMap(([name, section]) => {
      const { [name]: program } = programs;
      const path = `provision.programs.${name}`;
      return program === undefined ? [] : [[programText(program), { declared: section, path }] as const];
    }),
  );
  return Object.entries(programs).flatMap(([name, program]) => {
    const found = declared.get(programText(program));
    return found === undefined || (only !== null && only !== name) ? [] : [{ name, program, ...found }];
  });
}

/** The mapped transactions of a program by the name of their setting. */
function mappedTransactions({ purchases }: Program): [string, TransactionMapping][] {
  const { completed, refunded, voided } = purchases;
  return Object.entries({ completed, refunded, voided }).flatMap(([name, mapping]) =>
    mapping?.via === 'transaction' ? [[`purchases.${name}`, mapping]] : [],
  );
}

/** Attributes that are sent and not declared, and attributes that are declared as required and not sent. */
function provisionWarnings(file: ProgramsFile, only: string | null): ProvisionWarning[] {
  return provisionedPrograms(file, only).flatMap(({ name, program, declared, path }) =>
    mappedTransactions(program).flatMap(([setting, mapping]) => {
      const typePath = `${path}.transactionTypes.${mapping.transactionTypeId}`;
      const type = typeOf(declared, mapping.transactionTypeId);
      const at = { from: `programs.${name}.${setting}`, to: typePath };
      return type === null ? [] : [...undeclared(mapping, type, at), ...unsent(mapping, type, at)];
    }),
  );
}

/** What is declared of a transaction type; null where nothing is. */
function typeOf({ transactionTypes }: DeclaredProgram, id: string): DeclaredTransactionType | null {
  return Object.hasOwn(transactionTypes, id) ? (transactionTypes[id] ?? null) : null;
}

interface Places {
  readonly from: string;
  readonly to: string;
}

function undeclared(
  mapping: TransactionMapping,
  type: DeclaredTransactionType,
  { from, to }: Places,
): ProvisionWarning[] {
  const names = Object.keys(mapping.attributes).filter((name) => !Object.hasOwn(type.attributes, name));
  return names.map((name) => ({ path: `${from}.attributes.${name}`, warning: `is not declared in ${to}.attributes` }));
}

function unsent(mapping: TransactionMapping, type: DeclaredTransactionType, { from, to }: Places): ProvisionWarning[] {
  const required = Object.entries(type.attributes).filter(([, attribute]) => attribute.required);
  return required.flatMap(([name]) =>
    Object.hasOwn(mapping.attributes, name)
      ? []
      : [{ path: `${to}.attributes.${name}`, warning: `is required, and ${from} does not send it` }],
  );
}

function programText({ brandId, programId }: Program): string {
  return JSON.stringify([brandId, programId]);
}

type Unmade =
  | { readonly action: 'cannot-be-read'; readonly why: 'not-made-by-us' | 'cannot-be-listed' }
  | { readonly action: 'gone-from-file'; readonly why: 'nothing-is-deleted' };

/** One line of a plan. */
export type ProvisionStep = ThingKey &
  (Judgement | Unmade) & {
    /** Our name of the program; null for what belongs to a brand, and for what the file no longer knows. */
    readonly program: string | null;
    /** Where the programs file speaks of it; null where it does not. */
    readonly path: string | null;
    /** What the file wants; null where it wants nothing. */
    readonly content: ThingContent | null;
    readonly partnerId: string | null;
    /** The file says that it is there already, not made by us. */
    readonly exists: boolean;
    /** The call that is in doubt, for `resolve`. */
    readonly stepId: string | null;
  };

export interface ProvisionPlan {
  readonly steps: readonly ProvisionStep[];
  readonly warnings: readonly ProvisionWarning[];
}

export interface PlanRequest {
  readonly file: ProgramsFile;
  /** Our name of the only program that is wanted; null for all. */
  readonly program: string | null;
  /** The newest row of each thing that we ever did something about. */
  readonly recorded: readonly RecordedThing[];
  /** Epoch ms. */
  readonly now: number;
}

/** What there is to do, in the order in which it can be done. Pure: the same file and history give the same plan. */
export function planProvisioning(request: PlanRequest): ProvisionPlan {
  const { file, program } = request;
  const steps = [...declaredSteps(request), ...strangers(request), ...goneSteps(request)];
  return { steps, warnings: provisionWarnings(file, program) };
}

/** How long a call about the thing may still take effect after we lost sight of it: the longest of its brand's programs. */
export function inFlightMsOf({ programs }: ProgramsFile, { brandId, programId }: ThingKey): number {
  const concerned = Object.values(programs).filter(
    (program) => program.brandId === brandId && (programId === null || program.programId === programId),
  );
  return Math.max(0, ...concerned.map(({ inFlightMs }) => inFlightMs));
}

function declaredSteps({ file, program, recorded, now }: PlanRequest): ProvisionStep[] {
  const known = new Map(recorded.map((thing) => [thingKeyText(thing), thing]));
  return declaredThings(file, program).map((declared) => {
    const last = known.get(thingKeyText(declared)) ?? null;
    const judgement = judgeThing(declared, last, { now, inFlightMs: inFlightMsOf(file, declared) });
    const stepId = judgement.action === 'unknown' ? (last?.stepId ?? null) : null;
    return { ...declared, ...judgement, partnerId: partnerIdOf(declared, last), stepId };
  });
}

/** What the partner has, or must have, and neither the file declares nor we made. */
function strangers(request: PlanRequest): ProvisionStep[] {
  const { file, program: only, recorded } = request;
  const programs = provisionedPrograms(file, only);
  const brandIds = new Set([
    ...(only === null ? Object.keys(file.provision?.brands ?? {}) : []),
    ...programs.map(({ program }) => program.brandId),
  ]);
  return [
    ...programs.flatMap(({ name, program, declared }) => {
      const { brandId, programId, templateId } = program;
      const at = { brandId, programId, transactionTypeId: null, program: name };
      const types = mappedTransactions(program).flatMap(([setting, { transactionTypeId }]) =>
        typeOf(declared, transactionTypeId) === null
          ? [unread({ ...at, kind: 'transaction-type', name: transactionTypeId, path: `programs.${name}.${setting}` })]
          : [],
      );
      const isOurs = recorded.some(
        (thing) => thing.kind === 'template' && thing.programId === programId && thing.partnerId === String(templateId),
      );
      const path = `programs.${name}.templateId`;
      const template = unread({ ...at, kind: 'template', name: String(templateId), path });
      return [...types, ...(templateId === null || isOurs ? [] : [template])];
    }),
    ...[...brandIds].map((brandId) => unlisted(brandId)),
  ];
}

type Stranger = ThingKey & Pick<ProvisionStep, 'program' | 'path'>;

const nothingKnown = { content: null, partnerId: null, exists: true, stepId: null } as const;

function unread(stranger: Stranger): ProvisionStep {
  return { ...stranger, ...nothingKnown, action: 'cannot-be-read', why: 'not-made-by-us' };
}

/** Says of a brand that there may be more than the plan shows. */
function unlisted(brandId: string): ProvisionStep {
  const key = { kind: 'brand-attribute', brandId, programId: null, transactionTypeId: null, name: '*' } as const;
  return { ...key, ...nothingKnown, program: null, path: null, action: 'cannot-be-read', why: 'cannot-be-listed' };
}

/** What we made, or may have made, and the file no longer declares: nothing is deleted, for no call could. */
function goneSteps({ file, program, recorded, now }: PlanRequest): ProvisionStep[] {
  const declared = new Set(declaredThings(file, null).map(thingKeyText));
  const scope = program === null ? null : (file.programs[program] ?? null);
  const isInScope = ({ brandId, programId }: ThingKey): boolean =>
    scope === null || (brandId === scope.brandId && (programId === null || programId === scope.programId));
  const gone = recorded.filter(
    (thing) =>
      isInScope(thing) &&
      !declared.has(thingKeyText(thing)) &&
      (thing.placed !== null || thing.state === 'begun' || isInDoubt(thing, now)),
  );
  return gone.map((thing) => ({
    ...keyOf(thing),
    ...{ program: null, path: null, content: null, partnerId: thing.partnerId, exists: false },
    stepId: isInDoubt(thing, now) ? thing.stepId : null,
    action: 'gone-from-file',
    why: 'nothing-is-deleted',
  }));
}

function keyOf({ kind, brandId, programId, transactionTypeId, name }: ThingKey): ThingKey {
  return { kind, brandId, programId, transactionTypeId, name };
}
