import type { LogRecord, RunHistory } from '../history/run-history.js';
import type { LaneView } from '../lane/lane-view.js';
import { placeName } from '../lane/place-name.js';
import type { Finding, Invariant, Judge } from './invariant.js';
import { ofTheRun } from './invariant.js';

/**
 * I1: every acknowledged source record became an intent, a quarantine row or a counted no-op. A no-op is known by what
 * it leaves: its event in `dedup`. An identity alone does not explain a record that must be called for: then a record of
 * the same event or business key has to have become an intent.
 */
export const noRecordLost: Invariant = {
  id: 'I1',
  checks:
    'each acknowledged record has an intent, a quarantine row or its event in dedup; what owes a call has an intent',
  cannotSee: 'whether a record that may be a no-op (a void, a stale update) had to be one',
  elsewhere: ['libs/intents/src/batch/record-batch.int.spec.ts', 'libs/intents/src/batch/consequences.int.spec.ts'],
  judge: (run) => new RecordJudge(run),
};

class RecordJudge implements Judge {
  private readonly intents = new Set<string>();
  /** Events of records that an operator put back in: corrected, perhaps, so that the log does not tell them. */
  private readonly putBack = new Set<string>();

  constructor(private readonly run: RunHistory) {}

  lane({ history }: LaneView): Iterable<Finding> {
    for (const intent of history.intents) {
      this.intents.add(placeName(intent));
      if (intent.isResubmitted === true) this.putBack.add(intent.dedupKey);
    }
    return [];
  }

  *end(): Iterable<Finding> {
    const traces = this.traces();
    for (const record of this.run.log) {
      if (!record.isAcknowledged) continue;
      const problem = this.problemOf(record, traces);
      if (problem !== null) yield ofTheRun(problem, [record]);
    }
  }

  private traces(): Traces {
    const called = new Set(this.putBack);
    for (const record of this.run.log) {
      if (!this.intents.has(placeName(record))) continue;
      for (const key of [record.eventKey, record.businessKey]) if (key !== null) called.add(key);
    }
    const quarantined = new Set([...this.run.quarantine].map(placeName));
    const known = new Set([...this.run.dedup].map(({ key }) => key));
    return { called, quarantined, known };
  }

  private problemOf(record: LogRecord, traces: Traces): string | null {
    const { owes } = record;
    const place = placeName(record);
    if (owes === 'nothing' || this.intents.has(place) || traces.quarantined.has(place)) return null;
    return owes === 'quarantine' ? 'an unusable record is not in quarantine' : problemOfNoOp(record, traces);
  }
}

function problemOfNoOp({ owes, eventKey, businessKey }: LogRecord, { called, known }: Traces): string | null {
  if (eventKey === null || !known.has(eventKey)) return 'a record left no trace';
  const isCalled = called.has(eventKey) || called.has(businessKey ?? '');
  return owes === 'anything' || isCalled ? null : 'a record was taken for known, but no intent is of it';
}

interface Traces {
  /** Identities of records that became intents. */
  readonly called: ReadonlySet<string>;
  readonly quarantined: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
}
