import { replicaTtlMs } from '#intents';

import type { DeliverySettings } from '../settings.js';
import type { FakeCoordination } from './fake-coordination.js';
import type { Scenario } from './scenario.js';

/** A second where nothing fails or stands still. */
const seenWithinMs = 1_000;

/** Whether nothing of a paused program or operation is begun once every replica must know of the pause. */
export class PauseCheck {
  private readonly toleranceMs: number;

  constructor(
    private readonly coordination: FakeCoordination,
    { trouble, mishaps }: Scenario,
    { sendWindowMs }: DeliverySettings,
  ) {
    const isSmooth = trouble.database === 0 && trouble.stall === 0 && mishaps.databaseOutages === 0;
    // A replica that hears nothing any more begins on for as long as the others count it, and a begin may wait.
    this.toleranceMs = isSmooth ? seenWithinMs : replicaTtlMs + sendWindowMs;
  }

  /** What is wrong with a begin at that time, or null. */
  problemOf(begun: { readonly program: string; readonly operation: string; readonly at: number }): string | null {
    const pause = this.coordination.pauses.find(
      ({ program, operation }) =>
        (program === null || program === begun.program) && (operation === null || operation === begun.operation),
    );
    if (pause === undefined || begun.at <= pause.since + this.toleranceMs) return null;
    return `${begun.operation} begun ${begun.at - pause.since} ms after it was paused`;
  }
}
