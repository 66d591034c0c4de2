import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';
import { storableTextSchema } from '../contract/field-schemas.js';
import { type EffectOperation, effectOperations } from '../http/operation.js';
import { statement } from '../store/database.js';

/** One applied effect (contracts.md section 9). `seq` is dense and rises in the order in which effects took effect. */
export interface LedgerEntry {
  readonly seq: number;
  readonly operation: EffectOperation;
  readonly brandId: string;
  /** Null where the operation is one of the whole brand. */
  readonly programId: string | null;
  /** Null, as `passId`, where the operation changed no pass; a schedule keeps the unique id it was asked for. */
  readonly uniqueId: string | null;
  readonly passId: number | null;
  /**
   * The workflow, transaction type or reward of the path, or what was created or changed: an attribute, a template, a
   * schedule, a brand. Null for a direct issue.
   */
  readonly targetId: string | null;
  /** The unique attribute's value, or null. */
  readonly key: string | null;
  readonly requestId: string;
  /** ISO 8601. */
  readonly arrivedAt: string;
  /** ISO 8601. */
  readonly appliedAt: string;
  readonly body: unknown;
}

const appendLedgerStatement = statement(
  'append_ledger',
  `WITH moved AS (UPDATE wallet_sandbox.counter SET last_id = $2::bigint, last_seq = $3::bigint)
   INSERT INTO wallet_sandbox.ledger (
     seq, operation, brand_id, program_id, unique_id, pass_id, target_id, key, request_id, arrived_at, applied_at, body)
   SELECT seq, operation, "brandId", "programId", "uniqueId", "passId", "targetId", key, "requestId", "arrivedAt",
     "appliedAt", body
   FROM json_to_recordset($1::json) AS r(
     seq bigint, operation text, "brandId" text, "programId" text, "uniqueId" text, "passId" bigint, "targetId" text,
     key text, "requestId" text, "arrivedAt" timestamptz, "appliedAt" timestamptz, body json)`,
);

/** Appends entries and moves the counter past the numbers they and their effects took. */
export async function appendLedger(
  session: SqlSession,
  entries: readonly LedgerEntry[],
  counter: { readonly lastId: number; readonly lastSeq: number },
): Promise<void> {
  if (entries.length === 0) return;
  await session.query(appendLedgerStatement, [JSON.stringify(entries), counter.lastId, counter.lastSeq]);
}

const ledgerPageSizeMax = 10_000;
const ledgerPageSizeDefault = 1_000;

/** Query of `GET /__ledger` (contracts.md section 9), and three filters more. */
const ledgerQuerySchema = z.strictObject({
  after: wholeNumber().pipe(z.int()).default(0),
  limit: wholeNumber().pipe(z.int().min(1).max(ledgerPageSizeMax)).default(ledgerPageSizeDefault),
  unique_id: storableTextSchema.optional(),
  operation: z.enum(effectOperations).optional(),
  request_id: storableTextSchema.optional(),
  brand_id: storableTextSchema.optional(),
  program_id: storableTextSchema.optional(),
});

type LedgerQuery = z.output<typeof ledgerQuerySchema>;

function wholeNumber(): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number);
}

/** Parameters of the query that are columns, too. */
const filters = ['unique_id', 'operation', 'request_id', 'brand_id', 'program_id'] as const;

type Filter = (typeof filters)[number];

interface LedgerRow extends Omit<LedgerEntry, 'arrivedAt' | 'appliedAt'> {
  readonly arrivedAt: number;
  readonly appliedAt: number;
}

interface LedgerPage {
  readonly items: readonly LedgerEntry[];
  /** Pass it as `after` to go on; null at the end. */
  readonly nextAfter: number | null;
}

/** Committed entries in the order in which they took effect. */
async function readLedger(database: Database, query: LedgerQuery): Promise<LedgerPage> {
  const given = filters.filter((filter) => query[filter] !== undefined);
  const values = given.map((filter) => query[filter] ?? null);
  const { rows } = await database.execute<LedgerRow>(statementFor(given), [query.after, query.limit + 1, ...values]);
  const items = rows.slice(0, query.limit).map((row) => ({
    ...row,
    arrivedAt: new Date(row.arrivedAt).toISOString(),
    appliedAt: new Date(row.appliedAt).toISOString(),
  }));
  return { items, nextAfter: rows.length > query.limit ? (items.at(-1)?.seq ?? null) : null };
}

/** One text per combination of filters: a single one with `$1 IS NULL OR ...` would be planned for no index. */
function statementFor(given: readonly Filter[]): SqlStatement {
  const conditions = given.map((filter, index) => ` AND ${filter} = $${index + 3}`);
  return statement(
    `read_ledger_${given.map((filter) => filters.indexOf(filter)).join('')}`,
    `SELECT seq, operation, brand_id AS "brandId", program_id AS "programId", unique_id AS "uniqueId",
       pass_id AS "passId", target_id AS "targetId", key, request_id AS "requestId", arrived_at AS "arrivedAt",
       applied_at AS "appliedAt", body
     FROM wallet_sandbox.ledger WHERE seq > $1${conditions.join('')} ORDER BY seq LIMIT $2`,
  );
}

/** What really took effect here, for audits; no token of the partner is needed. */
@Controller('__ledger')
export class LedgerController {
  constructor(private readonly database: Database) {}

  @Get()
  read(@Query({ schema: ledgerQuerySchema }) query: LedgerQuery): Promise<LedgerPage> {
    return readLedger(this.database, query);
  }
}
