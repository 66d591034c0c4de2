import { forgetPasses } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

import { WorkLoops } from '../lifecycle/loops.js';

/** How often it is looked whether a program has moved. */
const pollMs = 2_000;

export interface ProgramMovesParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Forgets the cards of programs that have become others of the partner's: any process does, so that the work goes on soon. */
export class ProgramMoves extends WorkLoops {
  constructor(private readonly parts: ProgramMovesParts) {
    super();
    const loop = new BackgroundLoop({
      ...parts,
      workOnce: () => this.turn(),
      close: async () => undefined,
      failureMessage: 'the cards of a program that has moved were not forgotten',
    });
    this.add(loop);
  }

  /** @returns after how many milliseconds to do it again */
  async turn(): Promise<number> {
    const some = await forgetPasses(this.parts.database);
    if (some === null) return pollMs;
    const { program, forgotten } = some;
    if (forgotten === 0) this.parts.logger.info({ program }, 'a program has moved at the partner: it goes on there');
    return 0;
  }
}
