import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

import type { Chance } from '#shop';
import type { SimProcess } from '../kernel/sim-process.js';
import type { Timeline } from '../kernel/timeline.js';
import type { DatabaseServer } from './database-server.js';

const hopMsMax = 3;
const slowMsMax = 6_000;
/** What a client waits for a server that does not answer. */
const givesUpMsMax = 5_000;
const afterFailureMsMax = 2_000;
/** A statement of a process that is killed meanwhile has reached the server, or not. */
const reachesServer = 0.5;

/** What becomes of one call. */
type Fate = 'done' | 'fails-before' | 'loses-acknowledgement' | 'runs-after-failure' | 'breaks-off' | 'contends';

interface Call<T> {
  readonly name: string;
  readonly fate: Fate;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** A process' database port. Each call is one moment at the server, with a way there and a way back. */
export class SimDatabase implements Database {
  constructor(
    private readonly server: DatabaseServer,
    private readonly process: SimProcess,
    private readonly around: { readonly timeline: Timeline; readonly chance: Chance },
  ) {}

  execute<Row extends object>(
    statement: SqlStatement,
    parameters: readonly SqlParameter[] = [],
  ): Promise<SqlResult<Row>> {
    return new Promise((resolve, reject) => {
      const call = { name: statement.name, fate: this.fate(false), resolve, reject };
      this.travel(call, () => this.statementArrives(call, statement, parameters));
    });
  }

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const call = { name, fate: this.fate(true), resolve, reject };
      // Its statements come from the process itself, one after the other: it must live and not stand still.
      const { chance } = this.around;
      this.process.after(this.hopMs(), `begins ${name}`, () => void this.transact(call, work, chance));
    });
  }

  private travel<T>(call: Call<T>, arrive: () => void): void {
    const { timeline, chance } = this.around;
    const isSureToArrive = chance.happens(reachesServer);
    timeline.after(this.hopMs(), `${this.process.name} db ${call.name}`, () => {
      if (this.process.isAlive || isSureToArrive) arrive();
    });
  }

  private statementArrives<Row extends object>(
    call: Call<SqlResult<Row>>,
    statement: SqlStatement,
    parameters: readonly SqlParameter[],
  ): void {
    const { server, around } = this;
    if (server.weather.isDown || call.fate === 'fails-before' || call.fate === 'contends') {
      this.fail(call);
      return;
    }
    if (call.fate === 'runs-after-failure') {
      this.fail(call);
      const delayMs = around.chance.unit() * afterFailureMsMax;
      around.timeline.after(delayMs, `${this.process.name} db ${call.name} after all`, () => {
        if (!server.weather.isDown) this.attempt(() => server.execute(statement, parameters));
      });
      return;
    }
    const outcome = this.attempt(() => server.execute<Row>(statement, parameters));
    if (!outcome.ok) this.answer(() => call.reject(outcome.error));
    else if (call.fate === 'loses-acknowledgement') this.fail(call);
    else this.answer(() => call.resolve(outcome.value));
  }

  private attempt<T>(run: () => T): { readonly ok: true; readonly value: T } | { readonly ok: false; error: unknown } {
    try {
      return { ok: true, value: run() };
    } catch (error) {
      return { ok: false, error };
    }
  }

  private async transact<T>(call: Call<T>, work: (session: SqlSession) => Promise<T>, chance: Chance): Promise<void> {
    const { server } = this;
    if (server.weather.isDown || call.fate === 'fails-before' || call.fate === 'contends') {
      this.fail(call);
      return;
    }
    try {
      const breaking = call.fate === 'breaks-off' ? { left: chance.between(0, 8) } : null;
      const value = await server.transaction(call.name, (session) => work(breakable(session, call.name, breaking)));
      if (call.fate === 'loses-acknowledgement') this.fail(call);
      else this.answer(() => call.resolve(value));
    } catch (error) {
      this.answer(() => call.reject(error));
    }
  }

  private fail<T>(call: Call<T>): void {
    const kind = call.fate === 'contends' ? 'contention' : 'unavailable';
    const error = new DatabaseError(call.name, kind, { sqlState: kind === 'contention' ? '40P01' : null, cause: null });
    this.process.after(this.around.chance.unit() * givesUpMsMax, `db ${call.name} fails`, () => call.reject(error));
  }

  private answer(tell: () => void): void {
    this.process.after(this.hopMs(), 'db answers', tell);
  }

  private hopMs(): number {
    const { chance } = this.around;
    return chance.happens(this.server.weather.isSlow) ? chance.unit() * slowMsMax : chance.unit() * hopMsMax;
  }

  private fate(isTransaction: boolean): Fate {
    const { weather } = this.server;
    const { chance } = this.around;
    if (chance.happens(weather.failsBefore)) return 'fails-before';
    if (chance.happens(weather.losesAcknowledgement)) return 'loses-acknowledgement';
    if (chance.happens(weather.contends)) return 'contends';
    if (isTransaction) return chance.happens(weather.breaksOff) ? 'breaks-off' : 'done';
    return chance.happens(weather.runsAfterFailure) ? 'runs-after-failure' : 'done';
  }
}

/** A session whose connection breaks after some statements; null: it holds. */
function breakable(session: SqlSession, name: string, breaking: { left: number } | null): SqlSession {
  if (breaking === null) return session;
  return {
    query: async (statement, parameters) => {
      breaking.left -= 1;
      if (breaking.left < 0) throw new DatabaseError(name, 'unavailable', { sqlState: '57P01', cause: null });
      return session.query(statement, parameters);
    },
  };
}
