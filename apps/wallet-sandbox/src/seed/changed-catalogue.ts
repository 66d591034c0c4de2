import type { Brand, Program } from './program.js';
import type { CatalogueChange } from './catalogue-change.js';
import type { TransactionType } from './seed.js';

/** What a change makes of a brand: the properties that are different. */
export function changedBrand(brand: Brand, change: CatalogueChange): Partial<Brand> {
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
export function changedProgram(program: Program, change: CatalogueChange): Partial<Program> {
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
