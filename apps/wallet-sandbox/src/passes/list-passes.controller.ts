import { Controller, Get, Query } from '@nestjs/common';
import { Database } from '#platform';
import { type ListingQuery, listingQuerySchema } from '../contract/queries.js';
import type { WalletPassPage } from '../contract/wallet-pass.js';
import type { Wording } from '../contract/wordings.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { Catalogue, type Program } from '../seed/catalogue.js';
import { statement } from '../store/database.js';
import {
  givenConditions,
  type NamedValue,
  type PassCondition,
  type PassSelection,
  selectionSql,
  statusCondition,
} from './pass-condition.js';
import { passColumns, type PassRow, toPass } from './pass-store.js';
import { type Pass, toWalletPass } from './pass.js';
import { requireEmailIdentifier } from './unique-id.js';

interface ListingContext {
  readonly program: Program;
  readonly wording: Wording;
}

/** What a listing's query asks of a pass; both ends of a span belong to it. Throws Refusal (400). */
function listingConditions(query: ListingQuery, context: ListingContext): PassCondition[] {
  if (query.email !== undefined) requireEmailIdentifier(context.program, context.wording);
  const named: readonly NamedValue[] = [
    ['uniqueId', query.unique_id],
    ['identity', query.email],
    ['serialNumber', query.serialNumber],
    ['groupId', query.groupId],
    ['templateId', query.templateId],
    ['templateTierId', query.templateTierId],
    ['updatedAt', query.lastUpdated, query.lastUpdatedQueryType],
    ['updatedAt', query.lastUpdatedStartDate, 'gte'],
    ['updatedAt', query.lastUpdatedEndDate, 'lte'],
  ];
  return [...givenConditions(named), ...statusConditions(query, context)];
}

function statusConditions(query: ListingQuery, { wording }: ListingContext): PassCondition[] {
  const { statusCode: value, statusCodeQueryType: comparison = 'eq' } = query;
  return value === undefined ? [] : [statusCondition({ value, comparison }, wording)];
}

/** How many passes a selection holds. */
async function countPasses(database: Database, selection: PassSelection): Promise<number> {
  const { suffix, where, parameters } = selectionSql(selection);
  const countStatement = statement(
    `count_passes_${suffix}`,
    `SELECT count(*) AS "totalCount" FROM wallet_sandbox.pass p WHERE ${where}`,
  );
  const { rows } = await database.execute<{ readonly totalCount: number }>(countStatement, parameters);
  return rows[0]?.totalCount ?? 0;
}

interface PageRequest {
  readonly selection: PassSelection;
  readonly limit: number;
  readonly offset: number;
}

interface Page {
  readonly passes: readonly Pass[];
  readonly totalCount: number;
}

/** A row of the count, beside a pass or, when the page is empty, alone. */
type PageRow = (PassRow | { readonly passId: null }) & { readonly totalCount: number };

/** One page of a selection in order of pass id, and the size of the whole, both of one moment. */
async function selectPage(database: Database, { selection, limit, offset }: PageRequest): Promise<Page> {
  const { suffix, where, parameters } = selectionSql(selection);
  const [limitAt, offsetAt] = [parameters.length + 1, parameters.length + 2];
  const pageStatement = statement(
    `select_page_${suffix}`,
    `WITH counted AS (SELECT count(*) AS "totalCount" FROM wallet_sandbox.pass p WHERE ${where})
     SELECT counted."totalCount", page.* FROM counted LEFT JOIN (
       SELECT ${passColumns} FROM wallet_sandbox.pass p WHERE ${where}
       ORDER BY p.pass_id LIMIT $${limitAt} OFFSET $${offsetAt}
     ) AS page ON true
     ORDER BY page."passId"`,
  );
  const { rows } = await database.execute<PageRow>(pageStatement, [...parameters, limit, offset]);
  const passes = rows.flatMap((row) => (row.passId === null ? [] : [toPass(row)]));
  return { passes, totalCount: rows[0]?.totalCount ?? 0 };
}

/** 4.5: the passes of a program, page by page in order of pass id. */
@Controller('brands/:brandId/programs/:programId/wallet-passes')
export class ListPassesController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly database: Database,
  ) {}

  @Get()
  @PartnerEndpoint('list')
  async list(
    @CurrentCall() call: Call,
    @Query({ schema: listingQuerySchema }) query: ListingQuery,
  ): Promise<WalletPassPage> {
    const program = this.catalogue.program(call);
    const { brandId, programId } = program;
    const context = { program, wording: call.wording };
    const conditions = [...listingConditions(query, context), ...createdUntil(call)];
    const selection = { brandId, programId, conditions };
    const { pageNumber, pageSize } = query;
    if (query.countOnly === 'true') {
      return { data: [], pageNumber, pageSize, totalCount: await countPasses(this.database, selection) };
    }
    const offset = (pageNumber - 1) * pageSize;
    const { passes, totalCount } = await selectPage(this.database, { selection, limit: pageSize, offset });
    return { data: passes.map((pass) => toWalletPass(pass, call.origin)), pageNumber, pageSize, totalCount };
  }
}

/** A stale listing does not know the newest passes. */
function createdUntil({ asOf }: Call): PassCondition[] {
  return asOf === undefined ? [] : [{ field: 'createdAt', comparison: 'lte', value: asOf }];
}
