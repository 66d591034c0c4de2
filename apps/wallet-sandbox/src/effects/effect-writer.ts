import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database, DatabaseError } from '#platform';
import {
  applyCreateBrandAttribute,
  applyCreateTemplate,
  applyCreateTransactionAttribute,
  applyUpdateBrand,
  applyUpdateBrandAttribute,
  applyUpdateTransactionType,
} from '../administration/apply-administration.js';
import { refuse } from '../http/refusal.js';
import { applyIssue, applyUpdate } from '../passes/change-pass.js';
import { applyReward } from '../rewards/apply-reward.js';
import { applyScheduleUpdate } from '../schedules/apply-schedule-update.js';
import { Catalogue } from '../seed/catalogue.js';
import { applyTransaction } from '../transactions/apply-transaction.js';
import { BatchQueue } from './batch-queue.js';
import { type Effect, type EffectResult, isCatalogueEffect } from './effect.js';
import { loadState, saveState, acquireWriterLock } from './state-store.js';
import type { WorkingSet } from './working-set.js';

/** Beyond this a larger batch saves nothing and only delays its first effect. */
const effectBatchSizeMax = 200;

/**
 * The only writer of effects: batches of concurrent requests, one transaction each, answered after its commit. One
 * transaction per request reached a fraction of the rate (group commit, design.md section 4).
 */
@Injectable()
export class EffectWriter implements OnModuleInit {
  private readonly queue: BatchQueue<Effect, EffectResult>;

  constructor(
    private readonly database: Database,
    private readonly catalogue: Catalogue,
  ) {
    this.queue = new BatchQueue<Effect, EffectResult>({
      batchSizeMax: effectBatchSizeMax,
      standsAlone: isCatalogueEffect,
      flush: (effects) => this.write(effects),
    });
  }

  /** What earlier processes did to the catalogue holds from the first request on. */
  async onModuleInit(): Promise<void> {
    await this.database.transaction('sandbox_catalogue', (session) => acquireWriterLock(session, this.catalogue));
  }

  /** The answer of an applied effect, already committed. Throws Refusal when it was refused. */
  async apply(effect: Effect): Promise<object> {
    const result = await this.queue.add(effect);
    return result.kind === 'applied' ? result.answer : refuse(result.status ?? 400, result.message);
  }

  private async write(effects: readonly Effect[]): Promise<readonly EffectResult[]> {
    try {
      return await this.writeTogether(effects);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      return this.writeOneByOne(effects);
    }
  }

  private async writeTogether(effects: readonly Effect[]): Promise<EffectResult[]> {
    const { state, results } = await this.database.transaction('sandbox_effects', async (session) => {
      const loaded = await loadState(session, this.catalogue, effects);
      const nowMs = Date.now();
      const decided = effects.map((effect) => applyEffect(loaded, effect, nowMs));
      await saveState(session, loaded);
      return { state: loaded, results: decided };
    });
    this.catalogue.change(state.catalogueChanges, state.catalogueVersion);
    return results;
  }

  /** One value that Postgres cannot store (a NUL, half a surrogate pair) must not fail the requests beside it. */
  private async writeOneByOne(effects: readonly Effect[]): Promise<EffectResult[]> {
    const results: EffectResult[] = [];
    for (const effect of effects) {
      results.push(...(await this.writeTogether([effect]).catch(refuseUnstorable)));
    }
    return results;
  }
}

function refuseUnstorable(error: unknown): EffectResult[] {
  if (!isUnstorable(error)) throw error;
  return [{ kind: 'refused', message: 'the request holds a value that cannot be stored' }];
}

/** Decides one effect against the working set and changes it accordingly; a refusal changes nothing. */
export function applyEffect(state: WorkingSet, effect: Effect, nowMs: number): EffectResult {
  switch (effect.operation) {
    case 'issue':
    case 'issue-via-workflow':
      return applyIssue(state, effect, nowMs);
    case 'update-via-workflow':
    case 'scheduled-change':
      return applyUpdate(state, effect, nowMs);
    case 'transaction':
      return applyTransaction(state, effect, nowMs);
    case 'reward':
      return applyReward(state, effect, nowMs);
    case 'schedule-update':
      return applyScheduleUpdate(state, effect, nowMs);
    case 'update-brand':
      return applyUpdateBrand(state, effect, nowMs);
    case 'create-brand-attribute':
      return applyCreateBrandAttribute(state, effect, nowMs);
    case 'update-brand-attribute':
      return applyUpdateBrandAttribute(state, effect, nowMs);
    case 'create-template':
      return applyCreateTemplate(state, effect, nowMs);
    case 'update-transaction-type':
      return applyUpdateTransactionType(state, effect, nowMs);
    case 'create-transaction-attribute':
      return applyCreateTransactionAttribute(state, effect, nowMs);
    default:
      return effect satisfies never;
  }
}

/**
 * SQLSTATE class 22, data exception, and 54, limit exceeded (a key too long for an index): raised before the commit, so
 * nothing of the transaction has happened.
 */
export function isUnstorable(error: unknown): boolean {
  return error instanceof DatabaseError && /^(22|54)/.test(error.sqlState ?? '');
}
