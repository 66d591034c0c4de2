import type { ProgramsFile } from '#contracts';
import { declaredThings } from './declared-things.js';
import type { Judgement } from './judge-thing.js';
import { judgeThing, partnerIdOf } from './judge-thing.js';
import type { ProvisionWarning } from './provision-warnings.js';
import { mappedTransactions, provisionedPrograms, provisionWarnings, typeOf } from './provision-warnings.js';
import type { RecordedThing, ThingContent, ThingKey } from './thing.js';
import { isInDoubt, thingKeyText } from './thing.js';

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
