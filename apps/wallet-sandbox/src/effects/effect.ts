import type {
  BrandAttributeBody,
  BrandAttributeChanges,
  TemplateBody,
  TransactionAttributeBody,
} from '../contract/administration-bodies.js';
import type { TransactionBody } from '../contract/transaction-body.js';
import type { PassContent } from '../contract/wallet-pass.js';
import type { Call } from '../http/call.js';
import type { EffectOperation } from '../http/operation.js';
import type { PassHandle } from '../passes/pass.js';
import type { Schedule } from '../schedules/schedule.js';
import type { Brand, Program } from '../seed/catalogue.js';
import type { Reward } from '../seed/seed.js';

/** What every effect says of itself. */
interface EffectBase {
  readonly operation: EffectOperation;
  readonly call: Call;
  /** The request's body as it goes to the ledger; null when it had none. */
  readonly body: unknown;
}

export interface UpdateBrandEffect extends EffectBase {
  readonly operation: 'update-brand';
  readonly brand: Brand;
  readonly name: string;
}

export interface CreateBrandAttributeEffect extends EffectBase {
  readonly operation: 'create-brand-attribute';
  readonly brand: Brand;
  readonly attribute: BrandAttributeBody;
}

export interface UpdateBrandAttributeEffect extends EffectBase {
  readonly operation: 'update-brand-attribute';
  readonly brand: Brand;
  /** As in the path. */
  readonly attributeId: string;
  readonly changes: BrandAttributeChanges;
}

export interface CreateTemplateEffect extends EffectBase {
  readonly operation: 'create-template';
  readonly program: Program;
  readonly template: TemplateBody;
}

export interface UpdateTransactionTypeEffect extends EffectBase {
  readonly operation: 'update-transaction-type';
  readonly program: Program;
  readonly typeId: string;
  readonly name: string;
}

export interface CreateTransactionAttributeEffect extends EffectBase {
  readonly operation: 'create-transaction-attribute';
  readonly program: Program;
  readonly typeId: string;
  readonly attribute: TransactionAttributeBody;
}

/** An effect on what requests are judged by; it is written in a batch of its own, so that the next one sees it. */
type CatalogueEffect =
  | UpdateBrandEffect
  | CreateBrandAttributeEffect
  | UpdateBrandAttributeEffect
  | CreateTemplateEffect
  | UpdateTransactionTypeEffect
  | CreateTransactionAttributeEffect;

const catalogueOperations: ReadonlySet<string> = new Set<CatalogueEffect['operation']>([
  'update-brand',
  'create-brand-attribute',
  'update-brand-attribute',
  'create-template',
  'update-transaction-type',
  'create-transaction-attribute',
]);

/** True for an effect that changes the catalogue. */
export function isCatalogueEffect(effect: EffectBase): boolean {
  return catalogueOperations.has(effect.operation);
}

interface PassEffectBase extends EffectBase {
  readonly program: Program;
}

/** What makes a pass: an updating workflow does where there is none. */
export interface IssuingEffect extends PassEffectBase {
  readonly operation: 'issue' | 'issue-via-workflow' | 'update-via-workflow';
  /** The value of the brand's unique identifier. */
  readonly identity: string;
  readonly content: PassContent;
}

export interface IssueEffect extends IssuingEffect {
  readonly operation: 'issue' | 'issue-via-workflow';
}

export interface UpdateEffect extends PassEffectBase {
  readonly operation: 'update-via-workflow' | 'scheduled-change';
  readonly identity: string;
  /** Which of several passes; absent: the newest. */
  readonly passId?: number;
  readonly content: PassContent;
}

export interface TransactionEffect extends PassEffectBase {
  readonly operation: 'transaction';
  readonly handle: PassHandle;
  /** One that the program has. */
  readonly typeId: string;
  readonly transaction: TransactionBody;
}

export interface RewardEffect extends PassEffectBase {
  readonly operation: 'reward';
  readonly handle: PassHandle;
  readonly reward: Reward;
}

export interface ScheduleUpdateEffect extends PassEffectBase {
  readonly operation: 'schedule-update';
  readonly asked: Pick<Schedule, 'name' | 'dueAt' | 'conditions' | 'change'>;
  /** The unique id that its filters name. */
  readonly askedUniqueId: string | null;
  /** What they name the cardholder by: an e-mail address, or the unique id. */
  readonly askedIdentity: string | null;
}

/** A valid request that is to change something: decided against the stored state, in order, in one transaction. */
export type Effect =
  IssueEffect | UpdateEffect | TransactionEffect | RewardEffect | ScheduleUpdateEffect | CatalogueEffect;

/** What became of an effect. */
export type EffectResult =
  | { readonly kind: 'applied'; readonly answer: object }
  | { readonly kind: 'refused'; readonly message: string; readonly status?: number };

export function applied(answer: object): EffectResult {
  return { kind: 'applied', answer };
}

/** Answered with 400 unless another status is given. */
export function refused(message: string, status?: number): EffectResult {
  return { kind: 'refused', message, ...(status === undefined ? {} : { status }) };
}
