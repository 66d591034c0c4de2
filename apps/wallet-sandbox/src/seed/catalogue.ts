import { chooseWording, type Wording } from '../contract/wordings.js';
import { refuse } from '../http/refusal.js';
import { buildBrand, buildProgram } from './build-catalogue.js';
import type { CatalogueChange, ProgramPath } from './catalogue-change.js';
import { changedBrand, changedProgram } from './changed-catalogue.js';
import type { Brand, Program } from './program.js';
import type { Seed } from './seed.js';

export type { Brand, Program, UniqueIdentifier } from './program.js';

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
    this.sow();
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
    this.sow();
    this.change(changes, version);
  }

  private sow(): void {
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
