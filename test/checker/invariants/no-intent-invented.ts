import type { IntentRow } from '../history/lane-history.js';
import type { LogRecord, RunHistory } from '../history/run-history.js';
import type { LaneView } from '../lane/lane-view.js';
import { placeName } from '../lane/place-name.js';
import type { Accusation, Finding, Invariant, Judge } from './invariant.js';

/**
 * I2: each intent comes from one record of the log, of its own member and program. One that an operator put back in may
 * have been corrected.
 */
export const noIntentInvented: Invariant = {
  id: 'I2',
  checks: "each intent's record is in the log, names its member and program, and may be called for",
  cannotSee: 'whether the request is what the record asks for: that is routing',
  elsewhere: ['libs/domain/src/routing/route-source-event.property.unit.spec.ts'],
  judge: (run) => new InventionJudge(run),
};

class InventionJudge implements Judge {
  private readonly records = new Map<string, LogRecord>();

  constructor(run: RunHistory) {
    for (const record of run.log) this.records.set(placeName(record), record);
  }

  *lane({ history: { lane, intents } }: LaneView): Iterable<Finding> {
    for (const intent of intents) {
      const record = this.records.get(placeName(intent));
      const problem = intent.isResubmitted === true && record !== undefined ? null : problemOf(record, lane);
      if (problem !== null) yield accusation(problem, { intent, record, laneId: lane.laneId });
    }
  }
}

function problemOf(
  record: LogRecord | undefined,
  { program, memberId }: { readonly program: string; readonly memberId: string },
): string | null {
  if (record === undefined) return 'an intent of a record that is not in the log';
  if (record.owes === 'quarantine' || record.owes === 'nothing') return 'an intent of a record that asks for none';
  const isOwn = (record.program ?? program) === program && (record.memberId ?? memberId) === memberId;
  return isOwn ? null : 'an intent of a record about somebody else';
}

function accusation(
  problem: string,
  of: { readonly intent: IntentRow; readonly record: LogRecord | undefined; readonly laneId: number },
): Accusation {
  const { intent, record, laneId } = of;
  return { problem, at: intent.recordedAt, laneId, seq: intent.seq, attempt: null, rows: [intent, record ?? null] };
}
