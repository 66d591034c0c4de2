import type { SqlParameter, SqlStatement } from '#platform';

import type { HeardOutcome, OffsetSample, RunNotes } from '../../checker/index.js';
import type { ErasedNames } from '../../reading/erased-names.js';
import type { LoadedPrograms } from '../daemon/sim-daemon.js';
import type { DatabaseWitness } from '../database/database-server.js';
import type { PgliteEngine } from '../database/pglite-engine.js';
import type { Timeline } from '../kernel/timeline.js';
import { coordinationMs } from '../world/fleet.js';
import type { WorldContext } from '../world/context.js';

const positionStatement: SqlStatement = {
  name: 'sim_position',
  text: `
SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_pos_seq) AS position,
  (SELECT COALESCE(max(quarantine_id), 0) FROM quarantine) AS quarantined,
  ARRAY(SELECT lane_id || ':' || open_version FROM lane WHERE attempt_open AND open_version IS NOT NULL) AS begun`,
};

interface Numbers {
  readonly position: number;
  readonly quarantined: number;
  /** Attempts under way: lane and version of the begin, which is no row of its own. */
  readonly begun: readonly string[];
}

/** Rows of the truth, and attempts that begin on their lane. */
const appends = /INTO intent(?:_event)?\b|open_version = /;
/** Their parameters begin with lanes and their wrapped keys. */
const keyStatements: ReadonlySet<string> = new Set(['insert_member_keys', 'revive_members']);

/** One commit: everything up to these numbers was in the tables then. */
interface Mark {
  readonly position: number;
  readonly quarantined: number;
  readonly at: number;
  /** Where its transaction left the partitions that it read. */
  readonly offsets: readonly OffsetSample[];
}

/**
 * What the tables do not tell at the end: when each row of the truth tables was committed, how stored offsets moved,
 * which keys members had.
 */
export class CommitLog implements DatabaseWitness {
  readonly offsets: OffsetSample[] = [];
  /** The destroyed ones too: a judge must read what nobody else may. */
  readonly wrappedKeys = new Map<number, Uint8Array[]>();
  private readonly marks: Mark[] = [];
  private readonly begunAt = new Map<string, number>();
  private readonly appending = new Map<string, boolean>();
  private hasAppended = false;
  private moved: OffsetSample[] = [];

  constructor(
    private readonly engine: PgliteEngine,
    private readonly timeline: Timeline,
  ) {}

  ran(statement: SqlStatement, parameters: readonly SqlParameter[], rowCount: number): void {
    if (rowCount > 0 && this.isAppending(statement)) this.hasAppended = true;
    if (rowCount > 0 && statement.name === 'move_offsets') this.noteOffsets(parameters);
    if (keyStatements.has(statement.name)) this.keepKeys(parameters);
  }

  committed(): void {
    const { moved, hasAppended } = this;
    this.offsets.push(...moved);
    this.moved = [];
    this.hasAppended = false;
    if (!hasAppended && moved.length === 0) return;
    const [row] = this.engine.run<Numbers>(positionStatement).rows;
    if (row === undefined) return;
    const { position, quarantined, begun } = row;
    const at = this.timeline.now;
    this.marks.push({ position, quarantined, at, offsets: moved });
    for (const place of begun) if (!this.begunAt.has(place)) this.begunAt.set(place, at);
  }

  rolledBack(): void {
    this.moved = [];
    this.hasAppended = false;
  }

  /** When the row with this position was committed; undefined: by something that is not watched. */
  committedAt(position: number): number | undefined {
    return this.firstWith('position', position)?.at;
  }

  /** When an attempt was begun on its lane; undefined: its begin is a row of its own. */
  begunCommittedAt(laneId: number, version: number): number | undefined {
    return this.begunAt.get(`${laneId}:${version}`);
  }

  /** Of which incarnation of its partition the record was that became the row with this number. */
  incarnationOf(
    number: 'position' | 'quarantined',
    value: number,
    { topic, partition }: { readonly topic: string; readonly partition: number },
  ): number | undefined {
    // One that was empty when its topic was created anew is still in its first, and may be committed with one that is not.
    const isSame = (offset: OffsetSample): boolean => offset.topic === topic && offset.partition === partition;
    return this.firstWith(number, value)?.offsets.find(isSame)?.incarnation;
  }

  private firstWith(number: 'position' | 'quarantined', value: number): Mark | undefined {
    let [low, high] = [0, this.marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.marks[middle]?.[number] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return this.marks[low];
  }

  private isAppending({ name, text }: SqlStatement): boolean {
    const known = this.appending.get(name);
    if (known !== undefined) return known;
    const isOne = appends.test(text);
    this.appending.set(name, isOne);
    return isOne;
  }

  private noteOffsets([, topics, ...numbers]: readonly SqlParameter[]): void {
    const [incarnations = [], partitions = [], nextOffsets = []] = numbers as readonly (readonly number[])[];
    for (const [index, topic] of (topics as readonly string[]).entries()) {
      const place = { topic, incarnation: incarnations[index] ?? 0, partition: partitions[index] ?? 0 };
      this.moved.push({ takenAt: this.timeline.now, ...place, nextOffset: nextOffsets[index] ?? 0 });
    }
  }

  private keepKeys([laneIds, wrapped]: readonly SqlParameter[]): void {
    for (const [index, laneId] of (laneIds as readonly number[]).entries()) {
      const key = (wrapped as readonly Uint8Array[])[index];
      if (key !== undefined) this.wrappedKeys.set(laneId, [...(this.wrappedKeys.get(laneId) ?? []), key]);
    }
  }
}

/** Where the history of a world is read from. */
export interface HistorySources {
  readonly engine: PgliteEngine;
  readonly around: WorldContext;
  readonly programs: LoadedPrograms;
  readonly commits: CommitLog;
  /** Null: nobody listened. */
  readonly outcomes: readonly HeardOutcome[] | null;
  readonly ending: { readonly isAtRest: boolean; readonly isStopped: boolean; readonly replicas: number };
  /** Whose the names of erased members are. */
  readonly names: ErasedNames;
  /** Our name of the partner's program. */
  readonly nameOf: (programId: string | null) => string | null;
  /** The partner's id of our program. */
  readonly programIdOf: (name: string) => string;
}

const anchorToleranceMs = 60;
const jumpToleranceMs = 3_100;
/** Half of the longest round trip that a clock is read by. */
const slowToleranceMs = 1_000;

export function runNotes({ around, ending }: HistorySources): RunNotes {
  const { scenario, faultCounts } = around;
  const jumpMs = scenario.faults.includes('clock-jump') ? jumpToleranceMs : 0;
  const slowMs = scenario.faults.includes('db-slow') ? slowToleranceMs : 0;
  return {
    ...ending,
    wasRebuilt: false,
    clockToleranceMs: anchorToleranceMs + jumpMs + slowMs,
    reportMs: coordinationMs,
    partner: {
      enforcesUniqueness: scenario.enforcesUniqueness,
      othersWrite: false,
      hadPasses: scenario.hadPasses,
      othersUseOurValues: false,
    },
    faults: Object.fromEntries(faultCounts),
  };
}
