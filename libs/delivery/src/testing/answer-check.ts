import type { DeliveryEvent } from '../engine/messages.js';
import type { FakeStore } from './fake-store.js';
import type { StoredEvent } from './stored-lane.js';
import type { EngineProcess } from './surroundings.js';

interface Answer {
  readonly process: EngineProcess;
  readonly laneId: number;
  readonly begin: StoredEvent;
}

const outcomes: readonly string[] = [
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
  'LateOutcome',
];

/** Whether the row tells the outcome of that attempt, under that lease. */
export function isOutcome(row: StoredEvent, of: Pick<StoredEvent, 'seq' | 'attempt' | 'epoch'>): boolean {
  const isSame = row.seq === of.seq && row.attempt === of.attempt && row.epoch === of.epoch;
  return isSame && outcomes.includes(row.event.type);
}

/** What an engine was told of an attempt must be in the store in the end: as the outcome, or as a late one. */
export class AnswerCheck {
  private readonly answers: Answer[] = [];

  constructor(private readonly store: FakeStore) {}

  heard(process: EngineProcess, events: readonly DeliveryEvent[]): void {
    for (const event of events) {
      if (event.type !== 'AttemptAnswered') continue;
      const { laneId, epoch } = event;
      const rows = this.store.lanes.get(laneId)?.events ?? [];
      const begin = rows.findLast((row) => row.epoch === epoch && row.event.type === 'AttemptBegun');
      if (begin !== undefined) this.answers.push({ process, laneId, begin });
    }
  }

  /** Answers that were lost although the process that got them lives on. */
  lost(): string[] {
    const lost = this.answers.filter((answer) => answer.process.isAlive && !this.isRecorded(answer));
    return lost.map(({ laneId, begin }) => `lane ${laneId}: the answer to intent ${begin.seq} was lost`);
  }

  private isRecorded({ laneId, begin }: Answer): boolean {
    const rows = this.store.lanes.get(laneId)?.events ?? [];
    return rows.some((row) => isOutcome(row, begin));
  }
}
