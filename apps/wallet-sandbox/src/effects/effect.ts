import type { TransactionBody } from '../contract/transaction-body.js';
import type { PassContent } from '../contract/wallet-pass.js';
import type { PassHandle } from '../passes/pass.js';
import type { Schedule } from '../schedules/schedule.js';
import type { Program } from '../seed/catalogue.js';
import type { Reward } from '../seed/seed.js';
import type { CatalogueEffect } from './catalogue-effect.js';
import type { EffectBase } from './effect-base.js';

interface PassEffectBase extends EffectBase {
  readonly program: Program;
}

export interface IssueEffect extends PassEffectBase {
  readonly operation: 'issue' | 'issue-via-workflow';
  readonly uniqueId: string;
  readonly content: PassContent;
}

export interface UpdateEffect extends PassEffectBase {
  readonly operation: 'update-via-workflow' | 'scheduled-change';
  readonly uniqueId: string;
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
