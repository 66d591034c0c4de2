import type { Brand, Program, UniqueIdentifier } from './program.js';
import type { SeedBrand, SeedProgram } from './seed.js';

export function buildBrand(seed: SeedBrand): Brand {
  return {
    brandId: seed.id,
    name: seed.name ?? `brand ${seed.id}`,
    statusCode: seed.statusCode,
    uniqueIdentifier: parseUniqueIdentifier(seed.uniqueIdentifier),
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

function parseUniqueIdentifier(text: string): UniqueIdentifier {
  return text === 'email' ? { kind: 'email' } : { kind: 'metaData', key: text.slice('metaData.'.length) };
}

function byId<Entry extends { readonly id: string }>(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}
