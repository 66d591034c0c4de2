import { PGlite } from '@electric-sql/pglite';

import { migrations } from '#migrations';
import type { SqlParameter, SqlResult, SqlStatement } from '#platform';

import type { WireAnswer } from './wire.js';
import { columnParser, readAnswer, WireRequest, wireValue } from './wire.js';

interface PreparedStatement {
  readonly text: string;
  readonly columns: readonly { readonly name: string; readonly parse: (text: string) => unknown }[];
}

/**
 * Plans must not depend on what earlier worlds left behind, or a seed would not run alike twice: one plan per statement,
 * by index wherever there is one.
 */
const sessionSettings = `
SET timezone = 'UTC'; SET jit = off; SET plan_cache_mode = force_generic_plan; SET random_page_cost = 1.1;
SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_bitmapscan = off;
SET synchronous_commit = off; SET track_activities = off; SET track_counts = off`;

/**
 * Postgres in this process, with one session. Everything is synchronous: no promise of its own can disturb the order of
 * a world. Created once per process, emptied for each world.
 */
export class PgliteEngine {
  private readonly request = new WireRequest();
  private readonly prepared = new Map<string, PreparedStatement>();
  private emptying: readonly string[] = [];

  private constructor(private readonly lite: PGlite) {}

  static async create(): Promise<PgliteEngine> {
    const engine = new PgliteEngine(await PGlite.create());
    for (const Migration of migrations) {
      const runner = {
        query: async (sql: string) => {
          engine.script(sql);
        },
      };
      await new Migration().up(runner as never);
    }
    engine.script(sessionSettings);
    engine.emptying = engine.emptyingScripts();
    return engine;
  }

  async close(): Promise<void> {
    await this.lite.close();
  }

  /** As new: no rows, sequences from the start. */
  reset(): void {
    for (const sql of this.emptying) this.script(sql);
  }

  /** @throws SqlError */
  run<Row extends object>(statement: SqlStatement, parameters: readonly SqlParameter[] = []): SqlResult<Row> {
    const { columns } = this.prepare(statement);
    const { rows, tag } = this.exchange(this.request.run(statement.name, parameters.map(wireValue)));
    return { rows: rows.map((fields) => toRow(columns, fields) as Row), rowCount: countIn(tag) };
  }

  /** Any statements, without parameters. @throws SqlError */
  script(sql: string): void {
    this.exchange(this.request.query(sql));
  }

  private prepare({ name, text }: SqlStatement): PreparedStatement {
    const known = this.prepared.get(name);
    if (known !== undefined) {
      if (known.text !== text) throw new Error(`two statements are called ${name}`);
      return known;
    }
    const { columns } = this.exchange(this.request.parse(name, text));
    const parsed = columns.map((column) => ({ name: column.name, parse: columnParser(column.typeId) }));
    const statement = { text, columns: parsed };
    this.prepared.set(name, statement);
    return statement;
  }

  private exchange(request: WireRequest): WireAnswer {
    return readAnswer(this.lite.execProtocolRawSync(request.take()));
  }

  private emptyingScripts(): string[] {
    const tables = this.namesOf('r');
    const deletes = tables.map((table) => `DELETE FROM ${table};`).join('');
    const restarts = this.namesOf('S').map((sequence) => `SELECT setval('${sequence}', 1, false);`);
    const checkpoint = `INSERT INTO projection_checkpoint (name, pos) VALUES ('outcomes', 0), ('audit', 0);`;
    const script = `${deletes}${restarts.join('')}${checkpoint}`;
    return [
      // Past the triggers that keep the truth tables append-only.
      `SET session_replication_role = replica;${script}SET session_replication_role = origin`,
      // Rows begin at the first place again: equal keys are found in the order of their places.
      `VACUUM (INDEX_CLEANUP ON, TRUNCATE ON) ${tables.join(', ')}`,
    ];
  }

  private namesOf(kind: 'r' | 'S'): string[] {
    const schema = `relnamespace = 'public'::regnamespace`;
    const sql = `SELECT relname FROM pg_class WHERE relkind = '${kind}' AND ${schema} ORDER BY 1`;
    return this.exchange(this.request.query(sql)).rows.map(([name]) => String(name));
  }
}

function toRow(columns: PreparedStatement['columns'], fields: readonly (string | null)[]): object {
  const row: Record<string, unknown> = {};
  for (const [index, { name, parse }] of columns.entries()) {
    const field = fields[index] ?? null;
    row[name] = field === null ? null : parse(field);
  }
  return row;
}

/** `UPDATE 3`, `INSERT 0 5`, `SELECT 2`; `BEGIN` counts nothing. */
function countIn(tag: string): number {
  const last = Number(tag.split(' ').at(-1));
  return Number.isNaN(last) ? 0 : last;
}
