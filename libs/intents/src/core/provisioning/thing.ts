import type {
  DeclaredBrandAttribute,
  DeclaredProgram,
  DeclaredTransactionAttribute,
  Program,
  ProgramsFile,
} from '#contracts';

/** What can be set up at the partner (partner-api.md 4.8 to 4.13). */
export type ThingKind = 'brand' | 'brand-attribute' | 'transaction-type' | 'transaction-attribute' | 'template';

/** What tells one thing from another. The partner lists none: its name, and where it belongs, is all there is. */
export interface ThingKey {
  readonly kind: ThingKind;
  /** The partner's ids. */
  readonly brandId: string;
  /** Null for what belongs to the brand as a whole. */
  readonly programId: string | null;
  /** Of a transaction attribute; else null. */
  readonly transactionTypeId: string | null;
  /** Of a brand and of a transaction type: its id, for the name is what is to be set. */
  readonly name: string;
}

/** What a call puts in place, in our words (`BrandAttributeInput` and such of #contracts). */
export type ThingContent = Readonly<Record<string, string | boolean>>;

/** A thing as the programs file wants it. */
export interface DeclaredThing extends ThingKey {
  /** Our name of the program; null for what belongs to the brand. */
  readonly program: string | null;
  /** Where the programs file says so. */
  readonly path: string;
  readonly content: ThingContent;
  /** The partner's id, where the file gives it. */
  readonly partnerId: string | null;
  /** The file says that it is there already, not made by us. */
  readonly exists: boolean;
}

export type ThingState =
  /** A call was about to be made, and nothing is written of what became of it. */
  | 'begun'
  | 'created'
  | 'updated'
  | 'refused'
  /** Nothing took effect, and nothing was refused: the call may be made again. */
  | 'not-applied'
  | 'unknown';

export type ThingAction = 'create' | 'update';

/** The newest row of what we did about a thing. */
export interface RecordedThing extends ThingKey {
  /** Dense per thing, from 1. */
  readonly version: number;
  /** Names the call: all rows about it bear it. */
  readonly stepId: string;
  readonly action: ThingAction;
  readonly state: ThingState;
  /** What that call was to put in place. */
  readonly content: ThingContent;
  /** What is there as far as we know; null: nothing that we know of. */
  readonly placed: ThingContent | null;
  readonly partnerId: string | null;
  /** Epoch ms. */
  readonly at: number;
  /** `begun`: how long an answer is waited for. `not-applied`: not before then. Epoch ms. */
  readonly until: number | null;
  /** The job that did it; null for a person's word. */
  readonly jobId: string | null;
  /** Who said so; null for what the partner answered. */
  readonly actor: string | null;
}

/** A call that may still be answered: nobody knows yet, and nobody needs to ask. */
export function isUnderWay({ state, until }: RecordedThing, now: number): boolean {
  return state === 'begun' && until !== null && now <= until;
}

/** A call that may have taken effect, and no answer will come any more. */
export function isInDoubt(thing: RecordedThing, now: number): boolean {
  return thing.state === 'unknown' || (thing.state === 'begun' && !isUnderWay(thing, now));
}

/** Equal for the same thing. */
export function thingKeyText({ kind, brandId, programId, transactionTypeId, name }: ThingKey): string {
  return JSON.stringify([kind, brandId, programId, transactionTypeId, name]);
}

/**
 * What the programs file declares, each thing behind what it depends on: a brand and its attributes first, a transaction type
 * before its attributes.
 * @param program our name of the only program that is wanted, its brand and that one's attributes included; null for all
 */
export function declaredThings(file: ProgramsFile, program: string | null): DeclaredThing[] {
  const { provision, programs } = file;
  if (provision === undefined) return [];
  const brandId = program === null ? null : (programs[program]?.brandId ?? '');
  const brands = Object.entries(provision.brands).filter(([id]) => brandId === null || id === brandId);
  const wanted = Object.entries(provision.programs).filter(([name]) => program === null || name === program);
  return [
    ...brands.flatMap(([id, { name, attributes }]) => [...brandItself(id, name), ...brandThings(id, attributes)]),
    ...wanted.flatMap(([name, declared]) => {
      const { [name]: of } = programs;
      return of === undefined ? [] : programThings(name, of, declared);
    }),
  ];
}

/** A transaction attribute rests on its type; nothing else rests on anything. */
export function dependsOn({ kind, brandId, programId, transactionTypeId }: ThingKey): ThingKey | null {
  if (kind !== 'transaction-attribute' || transactionTypeId === null) return null;
  return { kind: 'transaction-type', brandId, programId, transactionTypeId: null, name: transactionTypeId };
}

function brandItself(brandId: string, name: string | null): DeclaredThing[] {
  if (name === null) return [];
  const key = { kind: 'brand', brandId, programId: null, transactionTypeId: null, name: brandId } as const;
  const path = `provision.brands.${brandId}.name`;
  return [{ ...key, program: null, path, content: { name }, partnerId: brandId, exists: true }];
}

function brandThings(brandId: string, attributes: Readonly<Record<string, DeclaredBrandAttribute>>): DeclaredThing[] {
  return Object.entries(attributes).map(([name, { id, ...properties }]) => ({
    kind: 'brand-attribute',
    ...{ brandId, programId: null, transactionTypeId: null, name, program: null },
    path: `provision.brands.${brandId}.attributes.${name}`,
    content: { name, ...properties },
    partnerId: id,
    exists: id !== null,
  }));
}

function programThings(program: string, of: Program, declared: DeclaredProgram): DeclaredThing[] {
  const { brandId, programId } = of;
  const at = { brandId, programId, program };
  const path = `provision.programs.${program}`;
  const types = Object.entries(declared.transactionTypes).flatMap(([typeId, { name, attributes }]): DeclaredThing[] => {
    const typePath = `${path}.transactionTypes.${typeId}`;
    const type: DeclaredThing = {
      kind: 'transaction-type',
      ...{ ...at, transactionTypeId: null, name: typeId, path: `${typePath}.name` },
      ...{ content: { name: name ?? '' }, partnerId: typeId, exists: true },
    };
    const fields = Object.entries(attributes).map(([field, attribute]): DeclaredThing => ({
      kind: 'transaction-attribute',
      ...{ ...at, transactionTypeId: typeId, name: field, path: `${typePath}.attributes.${field}` },
      ...{ content: attributeContent(field, attribute), partnerId: null, exists: attribute.exists },
    }));
    return name === null ? fields : [type, ...fields];
  });
  const templates = Object.entries(declared.templates).map(([name, { passType, exists }]): DeclaredThing => ({
    kind: 'template',
    ...{ ...at, transactionTypeId: null, name, path: `${path}.templates.${name}` },
    ...{ content: { name, passType }, partnerId: null, exists },
  }));
  return [...types, ...templates];
}

/** How the partner calls uniqueness here is not shown: it is only said where it is wanted. */
function attributeContent(name: string, declared: DeclaredTransactionAttribute): ThingContent {
  const { exists: _exists, unique, ...properties } = declared;
  return { name, ...properties, ...(unique ? { uniqueKey: true } : {}) };
}
