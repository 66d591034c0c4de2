import type { Database } from '#platform';

import type { PositionBound } from '../outcomes/find-final-position.js';
import { isFinal, lastPosition, takeBound } from '../outcomes/find-final-position.js';
import { countSettled } from './count-settled.js';
import { findTallyPosition } from './find-tally-position.js';

/**
 * `counted`: there may be more, go on at once. `open`: a transaction that may still add an event is running, look again in a
 * moment. `idle`: nothing new, or another process counts.
 */
export type TallyStep = 'counted' | 'open' | 'idle';

/**
 * Keeps count of delivered and cancelled intents by following the events (docs/decisions/0037): whoever writes them pays
 * nothing for it. Any number of processes may do so; one at a time does.
 */
export class SettledTally {
  /** Taken, not final yet. */
  private bound: PositionBound | null = null;
  private final = 0;

  constructor(private readonly database: Database) {}

  /** @throws {DatabaseError} */
  async step(): Promise<TallyStep> {
    const { database } = this;
    const position = await findTallyPosition(database);
    if (position >= this.final) {
      const answer = await this.findFinal(position);
      if (answer !== 'final') return answer;
    }
    return (await countSettled(database, this.final)) === null ? 'idle' : 'counted';
  }

  /** Looks for a final position beyond what is counted. */
  private async findFinal(counted: number): Promise<'final' | 'open' | 'idle'> {
    const { database } = this;
    const bound = this.bound ?? ((await lastPosition(database)).pos > counted ? await takeBound(database) : null);
    if (bound === null) return 'idle';
    const answer = await isFinal(database, bound);
    this.bound = answer === 'open' ? bound : null;
    if (answer === 'void') return 'idle';
    if (answer === 'final') this.final = bound.pos;
    return answer;
  }
}
