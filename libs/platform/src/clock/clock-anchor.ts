import { DatabaseError } from '../database/database-error.js';
import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '../database/database.js';
import type { CancelTimer, SystemClock } from './clock.js';

/** How often the offset to the database's clock is measured. */
export const clockAnchorIntervalMs = 10_000;
/** How soon it is measured again while the clock is not trusted. */
export const clockRemeasureMs = 1_000;
/** A clock that is further off has jumped, or the database's has: nothing may rest on it until they agree again. */
const clockJumpMsMax = 1_000;
/** A longer round trip tells too little: half of it is the possible error. */
export const clockRoundTripMsMax = 2_000;
/** At the start, a reading this quick is good enough; of so many slower ones the quickest is taken. */
const quickMs = 200;
const firstReadingsMax = 5;

/** What the anchoring tells. */
interface ClockAnchorListener {
  /** `offsetMs`: how far our clock was behind the database's. */
  readonly measured: (offsetMs: number) => void;
  /** The clock is not trusted any more: `offsetMs` is too much to be drift. */
  readonly jumped: (offsetMs: number) => void;
  /** The clock is trusted again. */
  readonly anchored: () => void;
  /** The database's clock could not be read. */
  readonly failed: (error: unknown) => void;
}

/**
 * Keeps a process' clock anchored to the database's (design.md section 4): measured at the start, every 10 s, and
 * whenever the connection was in doubt. Drift is taken over at once; a jump must be read twice alike. Until then the
 * clock is not trusted, and callers must not decide anything by it.
 */
export class ClockAnchor {
  private hasTrust = false;
  private suspectedMs: number | null = null;
  private listener: ClockAnchorListener | null = null;
  private cancel: CancelTimer = () => undefined;
  private measuring: Promise<void> | null = null;
  private isStopped = false;

  constructor(
    private readonly clock: SystemClock,
    /** The bare one, not one that waits for our trust. */
    private readonly database: Database,
  ) {}

  get isTrusted(): boolean {
    return this.hasTrust;
  }

  /**
   * The first anchoring: whatever the offset is, it is taken over. Measures on from there until `stop`.
   * @throws {DatabaseError} when the database does not answer
   */
  async start(): Promise<void> {
    this.takeOver(await this.firstReading());
    this.schedule();
  }

  listen(listener: ClockAnchorListener): void {
    this.listener = listener;
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  /** The connection was lost, perhaps the server with it: the next one may have another clock. Measures at once. */
  doubt(): void {
    this.hasTrust = false;
    void this.measure();
  }

  /** Measures now. Never rejects; a measurement under way is shared. */
  measure(): Promise<void> {
    this.measuring ??= this.measureOnce().finally(() => {
      this.measuring = null;
      this.schedule();
    });
    return this.measuring;
  }

  private async firstReading(): Promise<DatabaseClockReading> {
    let best = await readDatabaseClock(this.clock, this.database);
    for (let count = 1; count < firstReadingsMax && best.roundTripMs > quickMs; count += 1) {
      const reading = await readDatabaseClock(this.clock, this.database);
      if (reading.roundTripMs < best.roundTripMs) best = reading;
    }
    return best;
  }

  private schedule(): void {
    this.cancel();
    if (this.isStopped) return;
    const delayMs = this.hasTrust ? clockAnchorIntervalMs : clockRemeasureMs;
    this.cancel = this.clock.after(delayMs, () => void this.measure());
  }

  private async measureOnce(): Promise<void> {
    try {
      const reading = await readDatabaseClock(this.clock, this.database);
      if (reading.roundTripMs <= clockRoundTripMsMax) this.judge(reading);
    } catch (error) {
      this.hasTrust = false;
      this.listener?.failed(error);
    }
  }

  private judge(reading: DatabaseClockReading): void {
    const offsetMs = this.clock.offsetTo(reading.databaseMs, reading.readAt);
    this.listener?.measured(offsetMs);
    if (this.hasTrust && isNoNews(reading, offsetMs)) return;
    if (this.isDriftOrConfirmed(offsetMs)) {
      const wasTrusted = this.hasTrust;
      this.takeOver(reading);
      if (!wasTrusted) this.listener?.anchored();
      return;
    }
    this.suspectedMs = offsetMs;
    this.hasTrust = false;
    this.listener?.jumped(offsetMs);
  }

  private isDriftOrConfirmed(offsetMs: number): boolean {
    if (Math.abs(offsetMs) <= clockJumpMsMax) return true;
    return this.suspectedMs !== null && Math.abs(offsetMs - this.suspectedMs) <= clockJumpMsMax;
  }

  private takeOver({ databaseMs, readAt }: DatabaseClockReading): void {
    this.clock.anchor(databaseMs, readAt);
    this.suspectedMs = null;
    this.hasTrust = true;
  }
}

/** A slow answer that does not contradict our clock tells less than we know. */
function isNoNews({ roundTripMs }: DatabaseClockReading, offsetMs: number): boolean {
  return roundTripMs > quickMs && Math.abs(offsetMs) <= roundTripMs / 2;
}

const statement: SqlStatement = {
  name: 'read_database_clock',
  text: 'SELECT clock_timestamp() AS "at"',
};

/** One reading of the database's clock. */
export interface DatabaseClockReading {
  /** Epoch milliseconds. */
  readonly databaseMs: number;
  /** Our monotonic clock in the middle of the round trip. */
  readonly readAt: number;
  readonly roundTripMs: number;
}

/** Reads the database's clock. */
export async function readDatabaseClock(
  clock: Pick<SystemClock, 'monotonic'>,
  database: Database,
): Promise<DatabaseClockReading> {
  const before = clock.monotonic();
  const { rows } = await database.execute<{ at: number }>(statement);
  const after = clock.monotonic();
  const row = rows[0];
  if (row === undefined) throw new Error('the database returned no time');
  return { databaseMs: row.at, readAt: (before + after) / 2, roundTripMs: after - before };
}

/**
 * Anchors the clock to the database's once, at half of the round trip. A process that runs on keeps a `ClockAnchor`.
 * @returns by how many milliseconds the clock moved
 */
export async function anchorClock(clock: SystemClock, database: Database): Promise<number> {
  const { databaseMs, readAt } = await readDatabaseClock(clock, database);
  return clock.anchor(databaseMs, readAt);
}

/** Postgres has ended the statement, by its timeout: it is the one that we know. */
const statementEnded = '57014';

const isLost = ({ kind, sqlState }: DatabaseError): boolean => kind === 'unavailable' && sqlState !== statementEnded;

/**
 * The database for all work that rests on our clock: claims, leases, recordings. While the clock is not trusted every
 * call is refused as `unavailable`, so that the caller tries again, with a time that is right by then. A lost
 * connection costs the clock its trust: the server behind the next one may be another.
 */
export class AnchoredDatabase implements Database {
  constructor(
    private readonly real: Database,
    private readonly anchor: Pick<ClockAnchor, 'isTrusted' | 'doubt'>,
  ) {}

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.guarded(name, () => this.real.transaction(name, work));
  }

  execute<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>> {
    return this.guarded(statement.name, () => this.real.execute<Row>(statement, parameters));
  }

  private async guarded<T>(operation: string, call: () => Promise<T>): Promise<T> {
    if (!this.anchor.isTrusted) {
      const cause = new Error('the clock is not anchored to the database');
      throw new DatabaseError(operation, 'unavailable', { sqlState: null, cause });
    }
    try {
      return await call();
    } catch (error) {
      if (error instanceof DatabaseError && isLost(error)) this.anchor.doubt();
      throw error;
    }
  }
}
