import type { DeclaredProgram, DeclaredTransactionType, Program, ProgramsFile, TransactionMapping } from '#contracts';

/** Something that the programs file says in two places, and not alike. */
export interface ProvisionWarning {
  readonly path: string;
  readonly warning: string;
}

/** A program and what is declared for it, be it under another name of the same program of the partner. */
export interface ProvisionedProgram {
  readonly name: string;
  readonly program: Program;
  readonly declared: DeclaredProgram;
  /** Where. */
  readonly path: string;
}

/** Programs for which something is declared. @param only our name of the only one that is wanted; null for all */
export function provisionedPrograms({ provision, programs }: ProgramsFile, only: string | null): ProvisionedProgram[] {
  const declared = new Map(
    Object.entries(provision?.programs ?? {}).flatMap(([name, section]) => {
      const { [name]: program } = programs;
      const path = `provision.programs.${name}`;
      return program === undefined ? [] : [[keyOf(program), { declared: section, path }] as const];
    }),
  );
  return Object.entries(programs).flatMap(([name, program]) => {
    const found = declared.get(keyOf(program));
    return found === undefined || (only !== null && only !== name) ? [] : [{ name, program, ...found }];
  });
}

/** The mapped transactions of a program by the name of their setting. */
export function mappedTransactions({ purchases }: Program): [string, TransactionMapping][] {
  const { completed, refunded, voided } = purchases;
  return Object.entries({ completed, refunded, voided }).flatMap(([name, mapping]) =>
    mapping?.via === 'transaction' ? [[`purchases.${name}`, mapping]] : [],
  );
}

/** Attributes that are sent and not declared, and attributes that are declared as required and not sent. */
export function provisionWarnings(file: ProgramsFile, only: string | null): ProvisionWarning[] {
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
export function typeOf({ transactionTypes }: DeclaredProgram, id: string): DeclaredTransactionType | null {
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

function keyOf({ brandId, programId }: Program): string {
  return JSON.stringify([brandId, programId]);
}
