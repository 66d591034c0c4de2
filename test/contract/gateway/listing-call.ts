import { GatewayError, type ListOptions, type PassQuery } from '#gateway';
import type { ResolvedStep } from '../interpreter/contract-client.js';
import type { GatewayAnswer } from './gateway-answer.js';
import { messageIn } from './gateway-answer.js';
import { given, named, type PortCall, type PortTools, programOf } from './port-call.js';

/** 4.5: the first page of an iteration, or the count alone. */
export const list: PortCall = {
  dialectFor: ({ query }) => {
    const times = ['lastUpdated', 'lastUpdatedStartDate', 'lastUpdatedEndDate'].map((name) => time(query, name));
    return times.some((value) => typeof value === 'number') ? { list: { timeFormat: 'milliseconds' } } : {};
  },
  make: async (step, tools) => {
    const isCount = named(step.query, 'list.names.countOnly') !== undefined;
    return isCount ? count(queryOf(step), tools) : firstPage(step, tools);
  },
};

async function count(query: PassQuery, { partner, options }: PortTools): Promise<GatewayAnswer> {
  const report = await partner.countPasses(query, options);
  switch (report.kind) {
    case 'counted': {
      const { totalCount, shapeAlarms } = report;
      return { isYes: true, verdict: 'counted', body: { totalCount }, shapeAlarms };
    }
    case 'failed':
      return { isYes: false, verdict: report.code, body: messageIn(report.evidence), shapeAlarms: [] };
    default:
      return report satisfies never;
  }
}

async function firstPage(step: ResolvedStep, { partner, options }: PortTools): Promise<GatewayAnswer> {
  const paging = given({
    pageSize: named(step.query, 'list.names.pageSize') as number | undefined,
    startPage: named(step.query, 'list.names.pageNumber') as number | undefined,
  });
  const listing = partner.listPasses(queryOf(step), { ...options, ...paging } satisfies ListOptions);
  try {
    for await (const { passes, pageNumber, totalCount } of listing.pages()) {
      const { shapeAlarms } = listing.summary;
      return { isYes: true, verdict: 'page', body: { data: passes, pageNumber, totalCount }, shapeAlarms };
    }
    return { isYes: false, verdict: 'no page', body: undefined, shapeAlarms: listing.summary.shapeAlarms };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { isYes: false, verdict: error.code, body: undefined, shapeAlarms: [] };
  }
}

function queryOf(step: ResolvedStep): PassQuery {
  const { query } = step;
  const text = (name: string): string | undefined => named(query, `list.names.${name}`) as string | undefined;
  const code = named(query, 'list.names.statusCode') as string | number | undefined;
  return given({
    ...programOf(step),
    uniqueId: query['unique_id'] as string | undefined,
    email: query['email'] as string | undefined,
    serialNumber: text('serialNumber'),
    groupId: text('groupId'),
    templateId: named(query, 'list.names.templateId') as number | undefined,
    templateTierId: named(query, 'list.names.templateTierId') as number | undefined,
    status: code === undefined ? undefined : given({ code, compare: text('statusCodeQueryType') }),
    lastUpdated: lastUpdatedOf(query, text('lastUpdatedQueryType')),
    lastUpdatedFromMs: epochMs(time(query, 'lastUpdatedStartDate')),
    lastUpdatedToMs: epochMs(time(query, 'lastUpdatedEndDate')),
  }) as PassQuery;
}

function lastUpdatedOf(query: ResolvedStep['query'], compare: string | undefined): object | undefined {
  const atMs = epochMs(time(query, 'lastUpdated'));
  return atMs === undefined ? undefined : given({ atMs, compare });
}

function time(query: ResolvedStep['query'], name: string): unknown {
  return named(query, `list.names.${name}`);
}

function epochMs(written: unknown): number | undefined {
  if (written === undefined) return undefined;
  return typeof written === 'number' ? written : Date.parse(written as string);
}
