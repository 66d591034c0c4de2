import { walletPageSchema } from '#contracts';
import type {
  Caller,
  Exchange,
  PlannedRequest,
  Dialect,
  CallOptions,
  CountReport,
  ListOptions,
  PassListing,
  PassQuery,
} from '#gateway/core';
import {
  isJsonObject,
  readPass,
  readShape,
  REFUSED_INPUT,
  answerFailure,
  callFailure,
  INVALID_REQUEST,
  observeAnswer,
  plainReading,
  checkInput,
  InvalidRequest,
  programPath,
  queryText,
  refuse,
  listPageBytesMax,
  GatewayError,
} from '#gateway/core';
import { PagedPasses, type PageNumbers, pageNumbers, type ReadPage } from './paged-passes.js';
import { type CheckedFilter, passFilterSchema } from './pass-selection-schema.js';

/** 4.5 List wallet passes. Refused numbers are reported when iteration begins, like everything else about a listing. */
export function listPasses(caller: Caller, query: PassQuery, options: ListOptions): PassListing {
  const numbers = numbersOf(caller.dialectOf(query), options);
  const fetchPage = async (pageNumber: number): Promise<ReadPage> => {
    if (numbers instanceof InvalidRequest) throw refusedInput(numbers);
    const { pageSize } = numbers;
    const made = await list(caller, query, { wanted: { pageNumber, pageSize }, options });
    if (made instanceof InvalidRequest) throw refusedInput(made);
    return pageOf(made);
  };
  return new PagedPasses({ fetchPage, numbers: numbers instanceof InvalidRequest ? ONE_PAGE : numbers });
}

const ONE_PAGE: PageNumbers = { pageSize: 1, startPage: 1, pagesMax: 1, rowsBefore: 0 };

function numbersOf(dialect: Dialect, options: ListOptions): PageNumbers | InvalidRequest {
  try {
    return pageNumbers(options, dialect);
  } catch (error) {
    if (error instanceof InvalidRequest) return error;
    throw error;
  }
}

/** 4.5 List wallet passes: the count only. */
export async function countPasses(caller: Caller, query: PassQuery, options: CallOptions): Promise<CountReport> {
  const made = await list(caller, query, { wanted: 'count', options });
  return made instanceof InvalidRequest ? REFUSED_INPUT : readCount(made);
}

/** What is asked for beside the filters. */
type PageOrCount = { readonly pageNumber: number; readonly pageSize: number } | 'count';

function list(
  caller: Caller,
  query: PassQuery,
  { wanted, options }: { readonly wanted: PageOrCount; readonly options: CallOptions },
): Promise<Exchange | InvalidRequest> {
  return caller.exchange(query, (dialect) => planList(query, wanted, dialect), options);
}

type Parameter = readonly [name: string, value: string | undefined, path: string];

/** @throws InvalidRequest */
function planList(query: PassQuery, wanted: PageOrCount, dialect: Dialect): PlannedRequest {
  const { brandId, programId, ...filter } = query;
  const parameters = [
    ...pageParameters(wanted, dialect),
    ...filterParameters(checkInput(passFilterSchema, filter), dialect),
  ];
  const path = `${programPath({ brandId, programId })}/wallet-passes${queryText(parameters)}`;
  return { method: 'GET', path, body: null, responseBytesMax: listPageBytesMax };
}

function pageParameters(wanted: PageOrCount, { list: { names, countOnlyValue } }: Dialect): Parameter[] {
  if (wanted === 'count') return [[names.countOnly, countOnlyValue, 'countOnly']];
  return [
    [names.pageSize, String(wanted.pageSize), 'pageSize'],
    [names.pageNumber, String(wanted.pageNumber), 'startPage'],
  ];
}

function filterParameters(filter: CheckedFilter, dialect: Dialect): Parameter[] {
  const { names, timeFormat } = dialect.list;
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? ms : timeText(ms, timeFormat));
  return [
    ['email', filter.email, 'email'],
    ['unique_id', filter.uniqueId, 'uniqueId'],
    [names.serialNumber, filter.serialNumber, 'serialNumber'],
    [names.groupId, filter.groupId, 'groupId'],
    [names.templateId, filter.templateId?.toString(), 'templateId'],
    [names.templateTierId, filter.templateTierId?.toString(), 'templateTierId'],
    [names.statusCode, filter.status && statusText(filter.status.code, dialect), 'status.code'],
    [names.statusCodeQueryType, filter.status?.compare, 'status.compare'],
    [names.lastUpdated, time(filter.lastUpdated?.atMs), 'lastUpdated.atMs'],
    [names.lastUpdatedQueryType, filter.lastUpdated?.compare, 'lastUpdated.compare'],
    [names.lastUpdatedStartDate, time(filter.lastUpdatedFromMs), 'lastUpdatedFromMs'],
    [names.lastUpdatedEndDate, time(filter.lastUpdatedToMs), 'lastUpdatedToMs'],
  ];
}

function timeText(ms: number, format: Dialect['list']['timeFormat']): string {
  switch (format) {
    case 'iso':
      return new Date(ms).toISOString();
    case 'iso-offset':
      return new Date(ms).toISOString().replace('Z', '+0000');
    case 'milliseconds':
      return String(ms);
    default:
      return format satisfies never;
  }
}

function statusText(code: string | number, { list: { statusAs }, status: { numbers } }: Dialect): string {
  if (statusAs === 'name' || typeof code === 'number') return String(code);
  const number = Object.hasOwn(numbers, code) ? numbers[code] : undefined;
  return number === undefined ? refuse('status.code', 'the dialect has no number for it') : String(number);
}

/** @throws GatewayError */
function pageOf({ trace, compiled }: Exchange): ReadPage {
  const observed = observeAnswer(trace, plainReading(compiled));
  const failure = callFailure(observed);
  if (failure !== null) throw new GatewayError(failure);
  const page = readPage(observed.body?.json, compiled.dialect);
  if (page === null) throw new GatewayError(answerFailure('not-a-page'));
  return page;
}

function refusedInput(refusal: InvalidRequest): GatewayError {
  return new GatewayError(INVALID_REQUEST, refusal.texts);
}

/** @returns `null` when there is no `data` to read */
function readPage(json: unknown, dialect: Dialect): ReadPage | null {
  if (!isJsonObject(json)) return null;
  const { value, alarms } = readShape(walletPageSchema, json);
  if (value.data === undefined) return null;
  const shapes = value.data.map((row) => (isJsonObject(row) ? readListed(row, dialect) : null));
  const rowAlarms = shapes.flatMap((shape) => (shape === null ? ['data'] : shape.alarms.map((path) => `data.${path}`)));
  return {
    rows: value.data,
    passes: shapes.flatMap((shape) => (shape === null ? [] : [shape.value])),
    pageNumber: value.pageNumber ?? null,
    pageSize: value.pageSize ?? null,
    totalCount: value.totalCount ?? null,
    alarms: [...new Set([...alarms, ...rowAlarms])],
  };
}

function readListed(row: Readonly<Record<string, unknown>>, dialect: Dialect): ReturnType<typeof readPass> {
  const { workflowProperty } = dialect.list;
  const shape = readPass(row, dialect);
  const tracking = workflowProperty === null ? null : (row[workflowProperty] ?? null);
  if (workflowProperty === null || tracking === null || typeof tracking === 'object') return shape;
  return { ...shape, alarms: [...shape.alarms, workflowProperty] };
}

/** The count that a listing was answered with (partner-api.md 4.5); rows need not come with it. */
function readCount({ trace, compiled, evidence }: Exchange): CountReport {
  const observed = observeAnswer(trace, plainReading(compiled));
  const failure = callFailure(observed);
  if (failure !== null) return { kind: 'failed', ...failure, evidence };
  const json = observed.body?.json;
  const { value, alarms } = readShape(walletPageSchema, isJsonObject(json) ? json : {});
  const { totalCount, data = [] } = value;
  if (totalCount === undefined) return { kind: 'failed', ...answerFailure('no-count'), evidence };
  // Rows that are not counted would make an absence of a presence.
  if (totalCount < data.length) return { kind: 'failed', ...answerFailure('count-disagrees'), evidence };
  return { kind: 'counted', totalCount, shapeAlarms: alarms, evidence };
}
