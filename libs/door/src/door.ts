import { Injectable } from '@nestjs/common';

import { ApiProblem } from '#operations';
import { Clock } from '#platform';

import { DoorTurns } from './door-limits.js';
import type { DoorResult } from './door-settings.js';
import { DoorSettings } from './door-settings.js';
import type { DoorSource } from './door-source.js';
import type { KeyedRecord } from './topic/door-writer.js';
import { DoorWriter } from './topic/door-writer.js';

const resultByStatus: Readonly<Record<number, DoorResult>> = {
  401: 'unauthorized',
  413: 'too-large',
  422: 'no-key',
  429: 'too-many',
  503: 'kafka-away',
};

/** What a request that was refused counts as. */
function resultOf(error: unknown): DoorResult {
  return error instanceof ApiProblem ? (resultByStatus[error.options.status] ?? 'refused') : 'refused';
}

/** What comes in by HTTP goes through here: within its limits, into its topic, counted. */
@Injectable()
export class Door {
  private readonly turns: DoorTurns;

  constructor(
    private readonly settings: DoorSettings,
    private readonly writer: DoorWriter,
    clock: Clock,
  ) {
    this.turns = new DoorTurns(clock, settings.limits);
  }

  /**
   * Works on a request of a token or hook, and counts it where it is refused.
   * @param source null: it is not known yet
   * @throws {ApiProblem} 429, 503, or what the work throws
   */
  async within<Answer>(caller: string, source: string | null, work: () => Promise<Answer>): Promise<Answer> {
    return this.counting(source, async () => {
      const leave = this.turns.enter(caller);
      this.settings.underWay(this.turns.current);
      try {
        return await work();
      } finally {
        leave();
        this.settings.underWay(this.turns.current);
      }
    });
  }

  /** Counts what is refused. */
  async counting<Answer>(source: string | null, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      this.settings.counted(source, resultOf(error), 1);
      throw error;
    }
  }

  /** @returns the receipt of each @throws {ApiProblem} 413 or 503 */
  async write(source: DoorSource & { readonly topic: string }, records: readonly KeyedRecord[]): Promise<string[]> {
    const written = await this.writer.write(source.topic, records);
    this.settings.counted(source.name, 'accepted', records.length);
    return written.map(({ partition, offset, at }) => `${partition}-${offset}-${at}`);
  }
}
