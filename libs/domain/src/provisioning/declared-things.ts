import type {
  DeclaredBrandAttribute,
  DeclaredProgram,
  DeclaredTransactionAttribute,
  Program,
  ProgramsFile,
} from '#contracts';
import type { DeclaredThing, ThingContent, ThingKey } from './thing.js';

/**
 * What the programs file declares, each thing behind what it depends on: a brand's attributes first, a transaction type
 * before its attributes.
 * @param program our name of the only program that is wanted, its brand's attributes included; null for all
 */
export function declaredThings(file: ProgramsFile, program: string | null): DeclaredThing[] {
  const { provision, programs } = file;
  if (provision === undefined) return [];
  const brandId = program === null ? null : (programs[program]?.brandId ?? '');
  const brands = Object.entries(provision.brands).filter(([id]) => brandId === null || id === brandId);
  const wanted = Object.entries(provision.programs).filter(([name]) => program === null || name === program);
  return [
    ...brands.flatMap(([id, { attributes }]) => brandThings(id, attributes)),
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
