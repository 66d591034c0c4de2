import type { Call } from '../http/call.js';
import type { EffectOperation } from '../http/operation.js';
import type { LedgerEntry } from '../ledger/ledger.js';
import { type HeldMetaDataValue, MetaDataIndex, type UniqueKey, type UniquenessChange } from '../passes/meta-data.js';
import { fitsHandle, type Pass, type PassHandle, type Person } from '../passes/pass.js';
import type { Schedule } from '../schedules/schedule.js';
import type { CatalogueChange, Program } from '../seed/catalogue.js';
import type { Transaction, UniqueValue } from '../transactions/transaction.js';

export interface LoadedState {
  readonly lastId: number;
  readonly lastSeq: number;
  readonly passes: readonly Pass[];
  readonly persons: readonly Person[];
  readonly usedValues: readonly UniqueValue[];
  /** Absent where no effect looks at it, as the rest below. */
  readonly metaData?: readonly HeldMetaDataValue[];
  readonly sharedKeys?: readonly UniqueKey[];
  readonly catalogueVersion?: number;
}

/**
 * The part of the stored state that a batch touches, changed in memory effect by effect, so that the second effect of
 * a batch sees what the first did. What changed is written at the end.
 */
export class WorkingSet {
  private readonly passes = new Map<number, Pass>();
  /** Several where a fault let a second pass of a cardholder through. */
  private readonly passIds = new Map<string, Set<number>>();
  private readonly persons = new Map<string, Person>();
  private readonly usedValues = new Set<string>();
  private readonly changedPassIds = new Set<number>();
  private readonly changedPersons = new Set<string>();
  readonly transactions: Transaction[] = [];
  readonly newValues: UniqueValue[] = [];
  readonly schedules: Schedule[] = [];
  readonly ledger: LedgerEntry[] = [];
  readonly metaData: MetaDataIndex;
  readonly uniquenessChanges: UniquenessChange[] = [];
  readonly catalogueChanges: CatalogueChange[] = [];
  lastId: number;
  lastSeq: number;

  private readonly sharedKeys: readonly UniqueKey[];
  private readonly loadedCatalogueVersion: number;

  constructor(loaded: LoadedState) {
    this.lastId = loaded.lastId;
    this.lastSeq = loaded.lastSeq;
    this.metaData = new MetaDataIndex(loaded.metaData ?? []);
    this.sharedKeys = loaded.sharedKeys ?? [];
    this.loadedCatalogueVersion = loaded.catalogueVersion ?? 0;
    for (const pass of loaded.passes) this.indexPass(pass);
    for (const person of loaded.persons) this.persons.set(personKey(person), person);
    for (const value of loaded.usedValues) this.usedValues.add(valueKey(value));
  }

  /** The version that this batch's changes lead the stored catalogue to. */
  get catalogueVersion(): number {
    return this.loadedCatalogueVersion + this.catalogueChanges.length;
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** The pass of the program that a handle names; of several the newest. */
  findPass(program: Program, handle: PassHandle): Pass | null {
    const candidates =
      handle.uniqueId === undefined ? this.passes.values() : this.passesOf({ ...program, uniqueId: handle.uniqueId });
    let newest: Pass | null = null;
    for (const pass of candidates) {
      if (isOf(program, pass) && fitsHandle(pass, handle)) newest = newerOf(newest, pass);
    }
    return newest;
  }

  putPass(pass: Pass): void {
    this.indexPass(pass);
    this.changedPassIds.add(pass.passId);
  }

  findPerson(brandId: string, identity: string): Person | null {
    return this.persons.get(personKey({ brandId, identity })) ?? null;
  }

  putPerson(person: Person): void {
    this.persons.set(personKey(person), person);
    this.changedPersons.add(personKey(person));
  }

  isUsed(value: UniqueValue): boolean {
    return this.usedValues.has(valueKey(value));
  }

  /** Remembers values as used; one that is used already (uniqueness switched off by a fault) is not stored again. */
  use(values: readonly UniqueValue[]): void {
    for (const value of values) {
      if (this.isUsed(value)) continue;
      this.usedValues.add(valueKey(value));
      this.newValues.push(value);
    }
  }

  /** True when passes of several cardholders hold the same value under the key. */
  isShared(key: UniqueKey): boolean {
    return this.sharedKeys.some((shared) => shared.brandId === key.brandId && shared.key === key.key);
  }

  changeUniqueness(change: UniquenessChange): void {
    this.uniquenessChanges.push(change);
  }

  /** Effective once it is committed: the rest of this batch is still judged by the catalogue as it was. */
  changeCatalogue(change: CatalogueChange): void {
    this.catalogueChanges.push(change);
  }

  record(entry: Omit<LedgerEntry, 'seq'>): void {
    this.lastSeq += 1;
    this.ledger.push({ seq: this.lastSeq, ...entry });
  }

  changedPasses(): Pass[] {
    return [...this.changedPassIds].flatMap((passId) => this.passes.get(passId) ?? []);
  }

  changedPersonRows(): Person[] {
    return [...this.changedPersons].flatMap((key) => this.persons.get(key) ?? []);
  }

  private indexPass(pass: Pass): void {
    this.passes.set(pass.passId, pass);
    const key = passKey(pass);
    const passIds = this.passIds.get(key);
    if (passIds === undefined) this.passIds.set(key, new Set([pass.passId]));
    else passIds.add(pass.passId);
  }

  private passesOf(owner: PassOwner): Pass[] {
    return [...(this.passIds.get(passKey(owner)) ?? [])].flatMap((passId) => this.passes.get(passId) ?? []);
  }
}

function isOf(program: Program, pass: Pass): boolean {
  return pass.brandId === program.brandId && pass.programId === program.programId;
}

function newerOf(known: Pass | null, pass: Pass): Pass {
  return known === null || pass.passId > known.passId ? pass : known;
}

type PassOwner = Pick<Pass, 'brandId' | 'programId' | 'uniqueId'>;

function passKey(pass: PassOwner): string {
  return JSON.stringify([pass.brandId, pass.programId, pass.uniqueId]);
}

function personKey(person: Pick<Person, 'brandId' | 'identity'>): string {
  return JSON.stringify([person.brandId, person.identity]);
}

function valueKey(value: UniqueValue): string {
  return JSON.stringify([value.brandId, value.programId, value.transactionTypeId, value.attribute, value.value]);
}

/** What the ledger wants to know of an effect and of the call that asked for it. */
interface LedgerSource {
  readonly operation: EffectOperation;
  readonly call: Pick<Call, 'brandId' | 'programId' | 'targetId' | 'requestId' | 'arrivedAt'>;
  readonly body: unknown;
}

interface RecordedEffect {
  readonly effect: LedgerSource;
  /** The pass it changed; absent: it changed none. */
  readonly pass?: Pass;
  /** Whom it is about where it changed no pass. */
  readonly uniqueId?: string | null;
  readonly key?: string | null;
  /** What it created; absent: what the path names. */
  readonly targetId?: string;
  readonly nowMs: number;
}

/** Appends an effect that took effect to the ledger. */
export function recordEffect(state: WorkingSet, recorded: RecordedEffect): void {
  const { effect, pass, nowMs } = recorded;
  const { call } = effect;
  state.record({
    operation: effect.operation,
    brandId: call.brandId,
    programId: nullIfEmpty(call.programId),
    uniqueId: pass?.uniqueId ?? recorded.uniqueId ?? null,
    passId: pass?.passId ?? null,
    targetId: nullIfEmpty(recorded.targetId ?? call.targetId),
    key: recorded.key ?? null,
    requestId: call.requestId,
    arrivedAt: new Date(call.arrivedAt).toISOString(),
    appliedAt: new Date(nowMs).toISOString(),
    body: effect.body,
  });
}

function nullIfEmpty(text: string): string | null {
  return text === '' ? null : text;
}
