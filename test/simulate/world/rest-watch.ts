import type { SqlStatement } from '#platform';

import type { PgliteEngine } from '../database/pglite-engine.js';
import type { OutcomeListener, Producer } from './clients.js';
import type { WorldContext } from './context.js';

const lookEveryMs = 1_000;
/** So many looks in a row must find nothing that moves. */
const quietLooks = 2;
/** Once a daemon has stood still: what it has learned before it tells with its next try of a commit, up to 2 s later. */
const quietLooksAfterStop = 4;

const movingStatement: SqlStatement = {
  name: 'sim_moving',
  text: `
SELECT (SELECT count(*) FROM lane WHERE due_at IS NOT NULL OR owner IS NOT NULL)::int AS lanes,
  (SELECT count(*) FROM dead_letter_outbox)::int AS letters,
  (SELECT count(*) FROM intent_history WHERE type IN ('AttemptApplied', 'VerifiedApplied', 'IntentParked'))::int AS outcomes`,
};

const restlessStatement: SqlStatement = {
  name: 'sim_restless',
  text: `
SELECT lane_id AS lane, due_at AS due, owner, state, cur_seq AS current, pass FROM lane
WHERE due_at IS NOT NULL OR owner IS NOT NULL ORDER BY lane_id LIMIT 5`,
};

interface Moving {
  readonly lanes: number;
  readonly letters: number;
  readonly outcomes: number;
}

export interface RestTools {
  readonly around: WorldContext;
  readonly producer: Producer;
  readonly listener: OutcomeListener;
  /** Whether a daemon stands still. */
  readonly isAnyStopped: () => boolean;
}

const offsetsStatement: SqlStatement = {
  name: 'sim_offsets',
  text: 'SELECT topic, incarnation, partition, next_offset, last_offset FROM kafka_offset ORDER BY 1, 2, 3',
};

export interface StoredOffsetRow {
  readonly topic: string;
  readonly incarnation: number;
  readonly partition: number;
  readonly next_offset: number;
  /** Of the record by which the topic is known again; null where none has been consumed. */
  readonly last_offset: number | null;
}

/** Stored offsets as they are now. */
export function readOffsets(engine: PgliteEngine): StoredOffsetRow[] {
  return engine.run<StoredOffsetRow>(offsetsStatement).rows;
}

/** Looks every second whether anything still moves. */
export class RestWatch {
  isReached = false;
  private quietFor = 0;
  private looksNeeded = quietLooks;

  constructor(
    private readonly engine: PgliteEngine,
    private readonly tools: RestTools,
  ) {}

  start(): void {
    this.tools.around.timeline.after(lookEveryMs, 'looks for rest', () => {
      const { producer, isAnyStopped } = this.tools;
      const isStopped = isAnyStopped();
      if (isStopped) this.looksNeeded = quietLooksAfterStop;
      const isQuiet = producer.isDone && !isStopped && this.isConsumed() && !this.isMoving();
      this.quietFor = isQuiet ? this.quietFor + 1 : 0;
      this.isReached = this.quietFor >= this.looksNeeded;
      if (!this.isReached) this.start();
    });
  }

  /** What still moves, for a world that never comes to rest. */
  describe(): string {
    const [moving] = this.engine.run(movingStatement).rows;
    const restless = this.engine.run(restlessStatement).rows;
    return JSON.stringify({ ...moving, restless, isDone: this.tools.producer.isDone, isConsumed: this.isConsumed() });
  }

  private isMoving(): boolean {
    const [row] = this.engine.run<Moving>(movingStatement).rows;
    if (row === undefined || row.lanes > 0 || row.letters > 0) return true;
    const { around, listener } = this.tools;
    return around.scenario.publishesOutcomes && listener.intentsHeard < row.outcomes;
  }

  /** By incarnation: a topic created anew may have grown to where the old one was consumed. */
  private isConsumed(): boolean {
    const { broker } = this.tools.around;
    const stored = new Map(
      readOffsets(this.engine).map((row) => [`${row.topic}/${row.incarnation}/${row.partition}`, row.next_offset]),
    );
    const logs = broker.topicNames.flatMap((topic) => broker.logsOf(topic));
    return logs.every((log) => {
      const { topic, partition, high } = log;
      return high === 0 || stored.get(`${topic}/${broker.incarnationOf(log)}/${partition}`) === high;
    });
  }
}
