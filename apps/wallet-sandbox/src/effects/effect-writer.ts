import { Inject, Injectable } from '@nestjs/common';
import { type Database, DatabaseError } from '#platform';
import { refuse } from '../http/refusal.js';
import { DATABASE } from '../store/statement.js';
import { applyEffect } from './apply-effect.js';
import { BatchQueue } from './batch-queue.js';
import type { Effect, EffectResult } from './effect.js';
import { loadState } from './load-state.js';
import { saveState } from './save-state.js';

/** Beyond this a larger batch saves nothing and only delays its first effect. */
const effectBatchSizeMax = 200;

/**
 * The only writer of effects: batches of concurrent requests, one transaction each, answered after its commit. One
 * transaction per request reached a fraction of the rate (group commit, design.md section 4).
 */
@Injectable()
export class EffectWriter {
  private readonly queue: BatchQueue<Effect, EffectResult>;

  constructor(@Inject(DATABASE) private readonly database: Database) {
    this.queue = new BatchQueue({ batchSizeMax: effectBatchSizeMax, flush: (effects) => this.write(effects) });
  }

  /** The answer of an applied effect, already committed. Throws Refusal (400) when it was refused. */
  async apply(effect: Effect): Promise<object> {
    const result = await this.queue.add(effect);
    return result.kind === 'applied' ? result.answer : refuse(400, result.message);
  }

  private async write(effects: readonly Effect[]): Promise<readonly EffectResult[]> {
    try {
      return await this.writeTogether(effects);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      return this.writeOneByOne(effects);
    }
  }

  private writeTogether(effects: readonly Effect[]): Promise<EffectResult[]> {
    return this.database.transaction('sandbox_effects', async (session) => {
      const state = await loadState(session, effects);
      const nowMs = Date.now();
      const results = effects.map((effect) => applyEffect(state, effect, nowMs));
      await saveState(session, state);
      return results;
    });
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

/** SQLSTATE class 22, data exception: raised before the commit, so nothing of the transaction has happened. */
function isUnstorable(error: unknown): boolean {
  return error instanceof DatabaseError && error.sqlState?.startsWith('22') === true;
}

function refuseUnstorable(error: unknown): EffectResult[] {
  if (!isUnstorable(error)) throw error;
  return [{ kind: 'refused', message: 'the request holds characters that cannot be stored' }];
}
