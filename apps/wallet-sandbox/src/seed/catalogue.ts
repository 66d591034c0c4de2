import type { SqlSession } from '#platform';
import { chooseWording, type Wording } from '../contract/wordings.js';
import type { Call } from '../http/call.js';
import { refuse } from '../http/refusal.js';
import { statement } from '../store/database.js';
import type {
  BrandAttribute,
  Reward,
  Seed,
  SeedBrand,
  SeedProgram,
  Template,
  TransactionAttribute,
  TransactionType,
  Workflow,
} from './seed.js';

/** How a brand tells its cardholders apart. */
export interface UniqueIdentifier {
  /** By e-mail address, or by the value under `key`. */
  readonly kind: 'email' | 'metaData';
  /** The key of `passdata.metaData` whose value is asked for as `unique_id`. */
  readonly key: string;
}

export interface Brand {
  readonly brandId: string;
  readonly name: string;
  readonly statusCode: string;
  readonly uniqueIdentifier: UniqueIdentifier;
  readonly attributes: readonly BrandAttribute[];
}

export interface Program {
  readonly brandId: string;
  readonly programId: string;
  readonly brand: Brand;
  readonly uniqueIdentifier: UniqueIdentifier;
  readonly enrolment: SeedProgram['enrolment'];
  /** The first one is used when a request names none. */
  readonly templates: readonly Template[];
  readonly tiers: readonly number[];
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly transactionTypes: ReadonlyMap<string, TransactionType>;
  readonly rewards: ReadonlyMap<string, Reward>;
}

interface ProgramPath {
  readonly brandId: string;
  readonly programId: string;
}

/** What an effect of 4.8 to 4.13 did to the catalogue, as it is stored; replayed over the seed at each start. */
export type CatalogueChange =
  | { readonly kind: 'brand-renamed'; readonly brandId: string; readonly name: string }
  /** Created, or replaced as a whole. */
  | { readonly kind: 'brand-attribute-put'; readonly brandId: string; readonly attribute: BrandAttribute }
  | (ProgramPath & { readonly kind: 'template-created'; readonly template: Template })
  | (ProgramPath & { readonly kind: 'transaction-type-renamed'; readonly typeId: string; readonly name: string })
  | (ProgramPath & {
      readonly kind: 'transaction-attribute-created';
      readonly typeId: string;
      readonly attribute: TransactionAttribute;
    });

/** In whose words to refuse. */
interface Worded {
  readonly wording?: Wording;
}

/**
 * Brands, programs and what belongs to them, in memory: no request waits for the database to be routed. A `Brand` and
 * a `Program` are the same objects for ever and change in place, so that an effect that waits for its turn is decided
 * by what holds then.
 */
export class Catalogue {
  private readonly brands = new Map<string, Brand>();
  private readonly programs = new Map<string, Program>();
  private knownVersion = 0;

  constructor(private readonly seed: Seed) {
    this.applySeed();
  }

  /** How many changes have ever been made to the stored catalogue, as far as this one has followed. */
  get version(): number {
    return this.knownVersion;
  }

  find(path: ProgramPath): Program | null {
    return this.programs.get(keyOf(path)) ?? null;
  }

  /** The program of a request's path; refused with 404 when there is none. */
  program(call: ProgramPath & Worded): Program {
    return this.find(call) ?? refuse(404, wordingOf(call).noSuch('program', call.programId));
  }

  /** The brand of a request's path; refused with 404 when there is none. */
  brand(call: Pick<Brand, 'brandId'> & Worded): Brand {
    return this.brands.get(call.brandId) ?? refuse(404, wordingOf(call).noSuch('brand', call.brandId));
  }

  /** Takes over changes that have been committed, and the version they led to. */
  change(changes: readonly CatalogueChange[], version: number): void {
    if (version <= this.knownVersion) return;
    for (const change of changes) this.changeOne(change);
    this.knownVersion = version;
  }

  /** Back to the seed, then every change since. News that arrives late, after a newer version, is no news. */
  restore(changes: readonly CatalogueChange[], version: number): void {
    if (version <= this.knownVersion) return;
    this.applySeed();
    this.change(changes, version);
  }

  private applySeed(): void {
    for (const seeded of this.seed.brands) {
      const brand = keep(this.brands, seeded.id, buildBrand(seeded));
      for (const program of seeded.programs) {
        const built = buildProgram(program, brand);
        keep(this.programs, keyOf(built), built);
      }
    }
  }

  /** A change of something that the seed no longer has changes nothing. */
  private changeOne(change: CatalogueChange): void {
    const program = 'programId' in change ? this.find(change) : null;
    if (program !== null) Object.assign(program, changedProgram(program, change));
    const brand = this.brands.get(change.brandId);
    if (brand !== undefined) Object.assign(brand, changedBrand(brand, change));
  }
}

/** The entry that is kept under the key, made equal to `fresh`. */
function keep<Entry extends object>(entries: Map<string, Entry>, key: string, fresh: Entry): Entry {
  const kept = Object.assign(entries.get(key) ?? {}, fresh);
  entries.set(key, kept);
  return kept;
}

function wordingOf({ wording }: Worded): Wording {
  return wording ?? chooseWording(0);
}

function keyOf({ brandId, programId }: ProgramPath): string {
  return JSON.stringify([brandId, programId]);
}

export function buildBrand(seed: SeedBrand): Brand {
  return {
    brandId: seed.id,
    name: seed.name ?? `brand ${seed.id}`,
    statusCode: seed.statusCode,
    uniqueIdentifier: parseUniqueIdentifier(seed),
    attributes: seed.brandAttributes,
  };
}

export function buildProgram(seed: SeedProgram, brand: Brand): Program {
  return {
    brandId: brand.brandId,
    programId: seed.id,
    brand,
    uniqueIdentifier: brand.uniqueIdentifier,
    enrolment: seed.enrolment,
    templates: seed.templates,
    tiers: seed.tiers,
    workflows: byId(seed.workflows),
    transactionTypes: byId(seed.transactionTypes),
    rewards: byId(seed.rewards),
  };
}

function parseUniqueIdentifier({ uniqueIdentifier: text, memberKey }: SeedBrand): UniqueIdentifier {
  return text === 'email'
    ? { kind: 'email', key: memberKey }
    : { kind: 'metaData', key: text.slice('metaData.'.length) };
}

function byId<Entry extends { readonly id: string }>(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}

/** What a change makes of a brand: the properties that are different. */
function changedBrand(brand: Brand, change: CatalogueChange): Partial<Brand> {
  switch (change.kind) {
    case 'brand-renamed':
      return { name: change.name };
    case 'brand-attribute-put':
      return { attributes: replaced(brand.attributes, change.attribute, (attribute) => attribute.id) };
    case 'template-created':
    case 'transaction-type-renamed':
    case 'transaction-attribute-created':
      return {};
    default:
      return change satisfies never;
  }
}

/** What a change makes of the program it names: the properties that are different. */
function changedProgram(program: Program, change: CatalogueChange): Partial<Program> {
  switch (change.kind) {
    case 'template-created':
      return { templates: replaced(program.templates, change.template, (template) => template.id) };
    case 'transaction-type-renamed':
      return changedType(program, change.typeId, () => ({ name: change.name }));
    case 'transaction-attribute-created':
      return changedType(program, change.typeId, ({ attributes }) => ({
        attributes: replaced(attributes, change.attribute, (attribute) => attribute.name),
      }));
    case 'brand-renamed':
    case 'brand-attribute-put':
      return {};
    default:
      return change satisfies never;
  }
}

function changedType(
  program: Program,
  typeId: string,
  change: (type: TransactionType) => Partial<TransactionType>,
): Partial<Program> {
  const type = program.transactionTypes.get(typeId);
  if (type === undefined) return {};
  const changed = { ...type, ...change(type) };
  return { transactionTypes: new Map(program.transactionTypes).set(typeId, changed) };
}

/** The entry in the place of the one with the same key, else at the end. */
function replaced<Entry>(entries: readonly Entry[], entry: Entry, keyOf: (entry: Entry) => string | number): Entry[] {
  const isKnown = entries.some((known) => keyOf(known) === keyOf(entry));
  return isKnown ? entries.map((known) => (keyOf(known) === keyOf(entry) ? entry : known)) : [...entries, entry];
}

const saveCatalogueChangesStatement = statement(
  'save_catalogue_changes',
  `WITH change AS (
     INSERT INTO wallet_sandbox.catalogue_change (version, change)
     SELECT c.catalogue_version + given.ordinality, given.value
     FROM wallet_sandbox.counter c, jsonb_array_elements($1::jsonb) WITH ORDINALITY AS given
     RETURNING version)
   UPDATE wallet_sandbox.counter SET catalogue_version = (SELECT max(version) FROM change)`,
);

/** Appends changes, each one version further. */
export async function saveCatalogueChanges(session: SqlSession, changes: readonly CatalogueChange[]): Promise<void> {
  if (changes.length > 0) await session.query(saveCatalogueChangesStatement, [JSON.stringify(changes)]);
}

const selectCatalogueChangesStatement = statement(
  'select_catalogue_changes',
  `SELECT change FROM wallet_sandbox.catalogue_change ORDER BY version`,
);

/** Every change since the seed, in the order in which they were made. */
export async function selectCatalogueChanges(session: SqlSession): Promise<CatalogueChange[]> {
  const { rows } = await session.query<{ change: CatalogueChange }>(selectCatalogueChangesStatement);
  return rows.map((row) => row.change);
}

/** The transaction type that a path names; refused with 404 when the program has no such type. */
export function findTransactionType(program: Program, { targetId, wording }: Call): TransactionType {
  return program.transactionTypes.get(targetId) ?? refuse(404, wording.noSuch('transaction type', targetId));
}

/** A transaction type that the program is known to have: none is ever removed. */
export function transactionTypeOf(program: Program, typeId: string): TransactionType {
  const type = program.transactionTypes.get(typeId);
  if (type === undefined) throw new Error(`program ${program.programId} has no transaction type ${typeId}`);
  return type;
}
