import {
  countDeclared,
  type AttributeSource,
  type DeclaredProgram,
  type Program,
  type ProgramsFile,
  type ProvisionSection,
  pathsOf,
  type TransactionMapping,
} from './program.js';
import { sortedKeys } from './sorted-keys.js';

/** What a schema cannot say: rules between two settings of one program. `path` begins at the program. */
interface ProgramProblem {
  readonly path: string;
  readonly rule: string;
}

type Dialect = Readonly<Record<string, unknown>>;
type Check = (program: Program, dialect: Dialect) => readonly ProgramProblem[];

/** `dialect` is what the program's own overrides are laid over. */
export function checkProgram(program: Program, dialect: Dialect): ProgramProblem[] {
  return checks.flatMap((check) => check(program, dialect));
}

/** The mapped transactions by the name of their setting. */
function transactionsOf({ purchases }: Program): [string, TransactionMapping][] {
  return Object.entries(purchases).flatMap(([name, mapping]: [string, Program['purchases']['completed']]) =>
    mapping?.via === 'transaction' ? [[`purchases.${name}`, mapping]] : [],
  );
}

/** What a key may be made of; its first path must be among them. */
const keyPaths = {
  purchaseKey: ['purchaseId', 'storeId', 'memberId', 'channel'],
  grantKey: ['grantId', 'storeId', 'memberId'],
} as const;

function keyProblems(program: Program, setting: keyof typeof keyPaths): ProgramProblem[] {
  const allowed: readonly string[] = keyPaths[setting];
  const [own] = keyPaths[setting];
  const paths = program[setting].map((path) => path.join('.'));
  const isKnown = (path: string): boolean => allowed.includes(path) || path.startsWith('attributes.');
  const rule = `must be ${allowed.join(', ')} or attributes.<name>`;
  const problems = paths.flatMap((path, index) => (isKnown(path) ? [] : [{ path: `${setting}[${index}]`, rule }]));
  if (!paths.includes(own)) problems.push({ path: setting, rule: `must contain ${own}` });
  if (new Set(paths).size < paths.length) problems.push({ path: setting, rule: 'names a path twice' });
  return problems;
}

const checkKeys: Check = (program) => [...keyProblems(program, 'purchaseKey'), ...keyProblems(program, 'grantKey')];

const checkUniqueAttributes: Check = (program) =>
  transactionsOf(program).flatMap(([path, mapping]) => {
    const rule = uniqueAttributeRule(mapping, ownKey(program, path));
    return rule === null ? [] : [{ path: `${path}.${rule.key}`, rule: rule.rule }];
  });

const ownNumbers: Readonly<Record<string, string>> = {
  'purchases.refunded': 'refundId',
  'purchases.refundVoided': 'original.refundId',
  'purchases.corrected': 'correctionId',
};

/** What two transactions of one mapping differ by: a refund has its own number. */
function ownKey({ purchaseKey }: Program, setting: string): string[] {
  const number = ownNumbers[setting] ?? 'purchaseId';
  return purchaseKey.map((path) => path.join('.')).map((path) => (path === 'purchaseId' ? number : path));
}

function uniqueAttributeRule(
  mapping: TransactionMapping,
  key: readonly string[],
): { key: string; rule: string } | null {
  const { attributes, uniqueAttribute, uniqueEnforced } = mapping;
  if (uniqueAttribute === null) {
    return uniqueEnforced ? { key: 'uniqueEnforced', rule: 'needs a uniqueAttribute' } : null;
  }
  const source: AttributeSource | null = Object.hasOwn(attributes, uniqueAttribute)
    ? (attributes[uniqueAttribute] ?? null)
    : null;
  if (source === null) return { key: 'uniqueAttribute', rule: 'must be one of attributes' };
  if (source.kind === 'value') return { key: 'uniqueAttribute', rule: 'must not be a constant' };
  const carried = new Set(pathsOf(source).map((path) => path.join('.')));
  if (source.kind === 'local') return { key: 'uniqueAttribute', rule: 'must not be a time alone' };
  const missing = key.filter((path) => !carried.has(path));
  if (missing.length === 0) return null;
  return {
    key: `attributes.${uniqueAttribute}`,
    rule: `must carry every part of purchaseKey, else a sale is taken for a duplicate of another: { join: [${key.join(', ')}] } (missing: ${missing.join(', ')})`,
  };
}

const checkCurrency: Check = (program) =>
  program.currency === null && transactionsOf(program).length > 0
    ? [{ path: 'currency', rule: 'required where purchases are mapped' }]
    : [];

const checkScheduledUpdate: Check = ({ update, dialect: overrides }, dialect) =>
  update.via === 'schedule' && !hasPlaceForChange({ ...scheduleOf(dialect), ...scheduleOf(overrides) })
    ? [
        {
          path: 'update.via',
          rule: 'schedule needs the dialect setting schedule.changeProperty, or schedule.changeAt: top-level',
        },
      ]
    : [];

function scheduleOf({ ['schedule']: schedule }: Dialect): object | null {
  return typeof schedule === 'object' ? schedule : null;
}

function hasPlaceForChange(schedule: { readonly changeProperty?: unknown; readonly changeAt?: unknown }): boolean {
  return (schedule.changeProperty ?? null) !== null || schedule.changeAt === 'top-level';
}

const checkProbes: Check = (program) => {
  const probe = { rule: 'probe needs a pointsDelta other than 0 wherever it applies' };
  const isMute = ({ pointsDelta }: { pointsDelta: number | null }): boolean =>
    pointsDelta === null || pointsDelta === 0;
  const problems: ProgramProblem[] = [];
  if (program.onUnknown.reward === 'probe' && Object.values(program.rewards).some(isMute)) {
    problems.push({ path: 'onUnknown.reward', ...probe });
  }
  if (program.onUnknown.transaction === 'probe' && transactionsOf(program).some(([, mapping]) => isMute(mapping))) {
    problems.push({ path: 'onUnknown.transaction', ...probe });
  }
  return problems;
};

const checkTierTemplates: Check = ({ tiers, tierTemplates = {} }) =>
  Object.keys(tierTemplates).flatMap((tier) =>
    Object.hasOwn(tiers, tier) ? [] : [{ path: `tierTemplates.${tier}`, rule: 'must be one of tiers' }],
  );

const checks: readonly Check[] = [
  checkKeys,
  checkTierTemplates,
  checkUniqueAttributes,
  checkCurrency,
  checkScheduledUpdate,
  checkProbes,
];

/** Where one attribute of one transaction type of the partner gets its value from. */
interface Filled {
  readonly path: string;
  /** Equal where the partner keeps the values together. */
  readonly attribute: string;
  /** Equal where the values of two transactions may be. */
  readonly source: string;
  readonly isUnique: boolean;
}

/**
 * Two mappings that give one unique attribute of the partner the same value: one of the two sales would be refused, and taken
 * for delivered. `path` begins at the file.
 */
export function checkSharedValues({ programs }: ProgramsFile): ProgramProblem[] {
  const filled = Object.entries(programs).flatMap(([name, program]) => filledBy(name, program));
  const unique = new Set(filled.filter(({ isUnique }) => isUnique).map(({ attribute }) => attribute));
  const first = new Map<string, Filled>();
  return filled.flatMap((each) => {
    if (!unique.has(each.attribute)) return [];
    const value = JSON.stringify([each.attribute, each.source]);
    const other = first.get(value);
    if (other === undefined) {
      first.set(value, each);
      return [];
    }
    return [{ path: each.path, rule: `gives a unique attribute the same value as ${other.path}` }];
  });
}

function filledBy(name: string, program: Program): Filled[] {
  return transactionsOf(program).flatMap(([setting, { transactionTypeId, attributes, uniqueAttribute }]) =>
    Object.entries(attributes).flatMap(([attribute, source]) => {
      const paths = pathsOf(source);
      if (paths.length === 0) return [];
      // An event's own `program` tells two of ours apart that are one of the partner's.
      const teller = paths.some((path) => path.join('.') === 'program') ? name : '';
      return {
        path: `programs.${name}.${setting}.attributes.${attribute}`,
        attribute: JSON.stringify([partnerProgram(program), transactionTypeId, attribute]),
        source: JSON.stringify([paths, source.kind === 'join' ? source.separator : '', teller]),
        isUnique: attribute === uniqueAttribute,
      };
    }),
  );
}

/**
 * A probe of points takes every move of them for its own: two programs of ours that are one of the partner's move the same
 * ones, in lanes that know nothing of each other. `path` begins at the file.
 */
export function checkSharedPoints({ programs }: ProgramsFile): ProgramProblem[] {
  const all = Object.entries(programs);
  return all.flatMap(([name, program]) => {
    const other = all.find(([each, its]) => each !== name && partnerProgram(its) === partnerProgram(program));
    if (other === undefined) return [];
    return (['reward', 'transaction'] as const)
      .filter((group) => program.onUnknown[group] === 'probe')
      .map((group) => ({
        path: `programs.${name}.onUnknown.${group}`,
        rule: `probe reads points which programs.${other[0]} moves, too: it is the same program of the partner`,
      }));
  });
}

/**
 * How a partner's program is spoken to is one thing: of two programs of ours that are the same one of the partner's, one would
 * get what was allowed for the other. `path` begins at the file.
 */
export function checkSharedDialects({ programs }: ProgramsFile): ProgramProblem[] {
  const first = new Map<string, { readonly name: string; readonly dialect: string }>();
  return Object.entries(programs).flatMap(([name, program]) => {
    const dialect = JSON.stringify(program.dialect, sortedKeys);
    const other = first.get(partnerProgram(program));
    if (other === undefined) first.set(partnerProgram(program), { name, dialect });
    if (other === undefined || other.dialect === dialect) return [];
    const rule = `must be that of programs.${other.name}: it is the same program of the partner`;
    return [{ path: `programs.${name}.dialect`, rule }];
  });
}

/** What one section may declare: each thing is a call, and a row that is kept for ever. */
export const provisionThingsMax = 1_000;

type ProvisionCheck = (section: ProvisionSection, programs: ProgramsFile['programs']) => readonly ProgramProblem[];

/** Rules between the `provision` section and the programs. `path` begins at the file. */
export function checkProvision({ provision, programs }: ProgramsFile): ProgramProblem[] {
  if (provision === undefined) return [];
  return provisionChecks.flatMap((check) =>
    check(provision, programs).map(({ path, rule }) => ({ path: `provision${path}`, rule })),
  );
}

const checkSize: ProvisionCheck = (section) =>
  countDeclared(section) > provisionThingsMax
    ? [{ path: '', rule: `declares more than ${provisionThingsMax} things` }]
    : [];

const checkBrands: ProvisionCheck = ({ brands }, programs) => {
  const known = new Set(Object.values(programs).map(({ brandId }) => brandId));
  const strangers = Object.keys(brands).filter((brandId) => !known.has(brandId));
  return strangers.map((brandId) => ({ path: `.brands.${brandId}`, rule: 'no program of the file has this brandId' }));
};

const checkPrograms: ProvisionCheck = (section, programs) => {
  const declared = new Map<string, string>();
  return Object.keys(section.programs).flatMap((name) => {
    const path = `.programs.${name}`;
    const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (program === undefined) return [{ path, rule: 'must be one of programs' }];
    const other = declared.get(partnerProgram(program));
    if (other !== undefined) {
      return [{ path, rule: `is the same program of the partner as ${other}: declare what it has once` }];
    }
    declared.set(partnerProgram(program), name);
    return [];
  });
};

const checkDeclaredUnique: ProvisionCheck = (section, programs) =>
  Object.entries(section.programs).flatMap(([name, declared]) => {
    const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (program === undefined) return [];
    const users = Object.values(programs).filter((each) => partnerProgram(each) === partnerProgram(program));
    return users
      .flatMap((user) => notUnique(user, declared))
      .map(({ path, rule }) => ({
        path: `.programs.${name}.transactionTypes.${path}`,
        rule,
      }));
  });

/** Declared attributes that a mapping takes for unique, and the declaration does not. */
function notUnique(user: Program, { transactionTypes }: DeclaredProgram): ProgramProblem[] {
  return transactionsOf(user).flatMap(([setting, { transactionTypeId, uniqueAttribute }]) => {
    const type = Object.hasOwn(transactionTypes, transactionTypeId) ? transactionTypes[transactionTypeId] : undefined;
    if (type === undefined || uniqueAttribute === null || !Object.hasOwn(type.attributes, uniqueAttribute)) return [];
    if (type.attributes[uniqueAttribute]?.unique === true) return [];
    const path = `${transactionTypeId}.attributes.${uniqueAttribute}.unique`;
    return [{ path, rule: `must be true: it is the uniqueAttribute of ${setting}` }];
  });
}

function partnerProgram({ brandId, programId }: Program): string {
  return JSON.stringify([brandId, programId]);
}

const provisionChecks: readonly ProvisionCheck[] = [checkSize, checkBrands, checkPrograms, checkDeclaredUnique];
