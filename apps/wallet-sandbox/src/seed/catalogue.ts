import { refuse } from '../http/refusal.js';
import type { Reward, Seed, SeedProgram, TransactionType, Workflow } from './seed.js';

/** How a brand tells its cardholders apart: by e-mail address, or by a key of `passdata.metaData`. */
export type UniqueIdentifier = { readonly kind: 'email' } | { readonly kind: 'metaData'; readonly key: string };

export interface Program {
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueIdentifier: UniqueIdentifier;
  readonly enrolment: SeedProgram['enrolment'];
  readonly templates: readonly number[];
  readonly tiers: readonly number[];
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly transactionTypes: ReadonlyMap<string, TransactionType>;
  readonly rewards: ReadonlyMap<string, Reward>;
}

type ProgramPath = Pick<Program, 'brandId' | 'programId'>;

/** Brands, programs and what belongs to them, in memory: no request waits for the database to be routed. */
export class Catalogue {
  private readonly programs = new Map<string, Program>();

  constructor(seed: Seed) {
    for (const brand of seed.brands) {
      const uniqueIdentifier = parseUniqueIdentifier(brand.uniqueIdentifier);
      for (const program of brand.programs) {
        this.programs.set(keyOf(brand.id, program.id), buildProgram(program, brand.id, uniqueIdentifier));
      }
    }
  }

  find(path: ProgramPath): Program | null {
    return this.programs.get(keyOf(path.brandId, path.programId)) ?? null;
  }

  /** The program of a request's path; refused with 404 when there is none. */
  program(path: ProgramPath): Program {
    return this.find(path) ?? refuse(404, 'No such program of this brand');
  }
}

function keyOf(brandId: string, programId: string): string {
  return JSON.stringify([brandId, programId]);
}

function parseUniqueIdentifier(text: string): UniqueIdentifier {
  return text === 'email' ? { kind: 'email' } : { kind: 'metaData', key: text.slice('metaData.'.length) };
}

function buildProgram(program: SeedProgram, brandId: string, uniqueIdentifier: UniqueIdentifier): Program {
  return {
    brandId,
    programId: program.id,
    uniqueIdentifier,
    enrolment: program.enrolment,
    templates: program.templates,
    tiers: program.tiers,
    workflows: byId(program.workflows),
    transactionTypes: byId(program.transactionTypes),
    rewards: byId(program.rewards),
  };
}

function byId<Entry extends { readonly id: string }>(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}
