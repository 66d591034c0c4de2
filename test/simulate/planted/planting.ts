import type { HttpRequest, HttpResult } from '#gateway';
import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';

import type { DaemonPorts } from '../daemon/sim-daemon.js';
import type { MomentFault, WeatherFault } from '../world/fault.js';
import type { ProgramSketch, Scenario, Trade } from '../world/scenario.js';
import type { PlantedBug } from './planted-bug.js';
import { noBug } from './planted-bug.js';

/** Another text for statements of this name; one that ends with `_` is the beginning of several. */
export interface Rewrite {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** A database that is asked something else than the code meant to ask. */
class RewrittenDatabase implements Database {
  constructor(
    private readonly database: Database,
    private readonly rewrite: Rewrite & { readonly bug: string },
  ) {}

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.database.transaction(name, (session) =>
      work({ query: (statement, parameters) => session.query(this.changed(statement), parameters) }),
    );
  }

  execute<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>> {
    return this.database.execute<Row>(this.changed(statement), parameters);
  }

  private changed(statement: SqlStatement): SqlStatement {
    const { name, from, to, bug } = this.rewrite;
    const isMeant = name.endsWith('_') ? statement.name.startsWith(name) : statement.name.split(' ')[0] === name;
    if (!isMeant) return statement;
    if (!statement.text.includes(from)) throw new Error(`${name} holds no ${from} any more: plant the bug anew`);
    return { name: `${statement.name} ${bug}`, text: statement.text.replaceAll(from, to) };
  }
}

type Known = Pick<PlantedBug, 'name' | 'what' | 'seenIn'> & Partial<Pick<PlantedBug, 'world' | 'isInFile'>>;

export function inSql(known: Known, ...rewrites: readonly Rewrite[]): PlantedBug {
  const rewritten = (inner: Database, each: Rewrite): Database =>
    new RewrittenDatabase(inner, { ...each, bug: known.name });
  const operators = (database: Database): Database => rewrites.reduce(rewritten, database);
  const change = (ports: DaemonPorts): DaemonPorts => {
    const database = operators(ports.database);
    return { ...ports, database, delivery: { ...ports.delivery, database } };
  };
  return { ...noBug, ...known, change, operators };
}

export function inPolicy(known: Known, change: (sketch: ProgramSketch) => ProgramSketch): PlantedBug {
  return { ...noBug, ...known, programs: (sketches) => sketches.map(change) };
}

/** What is appended to a lane by others than its owner: not where this holds of the event's `type` and `data`. */
export function unless(condition: (event: { readonly type: string; readonly data: string }) => string): Rewrite[] {
  const clear = 'FROM bumped';
  const sealed = 'VALUES ($1, $2, $3, $4, $5, $6, $7::timestamptz, $8::jsonb, $9)';
  const values =
    'SELECT $1::bigint, $2::integer, $3::integer, $4::integer, $5::integer, $6::text, $7::timestamptz, $8::jsonb, $9::bytea';
  const inClear = condition({ type: '$6', data: '$7::jsonb' });
  const inSealed = condition({ type: '$6', data: '$8::jsonb' });
  return [
    { name: 'append_by_others', from: clear, to: `${clear} WHERE NOT (${inClear})` },
    { name: 'append_sealed_by_others', from: sealed, to: `${values} WHERE NOT (${inSealed})` },
  ];
}

/** Events of this kind are stored, and not read by whoever claims a lane. */
export function unread(condition: string): Rewrite {
  const from = 'ORDER BY e.lane_id, e.seq, e.version';
  return { name: 'load_events', from, to: `WHERE NOT (${condition}) ${from}` };
}

/** A partner that is heard to say something else than it said. */
export function inAnswers(known: Known, heard: (request: HttpRequest, result: HttpResult) => HttpResult): PlantedBug {
  const change = (ports: DaemonPorts): DaemonPorts => {
    const send = async (request: HttpRequest): Promise<HttpResult> =>
      heard(request, await ports.transport.send(request));
    return { ...ports, transport: { send } };
  };
  return { ...noBug, ...known, change };
}

interface Turned {
  /** What is otherwise: how long there is trouble, how much traffic. */
  readonly size?: Partial<Pick<Scenario, 'troubledMs' | 'events' | 'membersPerProgram' | 'settings'>>;
  /** By rate: what strikes all the time. */
  readonly weather?: { readonly [fault in WeatherFault]?: number };
  /** What strikes so many times, spread evenly. */
  readonly moments?: { readonly [fault in MomentFault]?: number };
  readonly sketch?: Partial<ProgramSketch>;
  readonly trade?: Trade;
}

/** A busy world in which only these faults strike, so that a bug that needs them shows. */
export function turned({ weather = {}, moments = {}, sketch = {}, size = {}, trade }: Turned): PlantedBug['world'] {
  return (scenario) => {
    const names = Object.keys(weather) as WeatherFault[];
    const strikes = Object.entries(moments) as [MomentFault, number][];
    const { troubledMs } = { ...scenario, ...size };
    const usual = { maxAttempts: 12, maxAgeMs: 600_000, sameRefusals: 20, requestsPerSecond: null, concurrency: null };
    return {
      ...scenario,
      daemons: 3,
      events: 80,
      membersPerProgram: 4,
      ...size,
      enforcesUniqueness: true,
      hadPasses: false,
      programs: scenario.programs.map((program) => ({ ...program, ...usual, ...sketch })),
      spells: names.map((fault) => ({ fault, rate: weather[fault] ?? 0, from: 0, until: troubledMs })),
      moments: strikes.flatMap(([fault, count]) =>
        Array.from({ length: count }, (_, index) => ({ fault, at: (troubledMs * (index + 1)) / (count + 1) })),
      ),
      faults: [...names, ...strikes.map(([fault]) => fault)],
      ...(trade && { trade }),
    };
  };
}
