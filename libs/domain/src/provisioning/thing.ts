/** What can be set up at the partner (partner-api.md 4.8 to 4.12). */
export type ThingKind = 'brand-attribute' | 'transaction-type' | 'transaction-attribute' | 'template';

/** What tells one thing from another. The partner lists none: its name, and where it belongs, is all there is. */
export interface ThingKey {
  readonly kind: ThingKind;
  /** The partner's ids. */
  readonly brandId: string;
  /** Null for what belongs to the brand as a whole. */
  readonly programId: string | null;
  /** Of a transaction attribute; else null. */
  readonly transactionTypeId: string | null;
  /** Of a transaction type: its id, for the name is what is to be set. */
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
