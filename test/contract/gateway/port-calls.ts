import type {
  BrandAttributeChange,
  BrandAttributeInput,
  BrandChange,
  TemplateInput,
  TransactionAttributeInput,
  TransactionTypeChange,
} from '#contracts';
import type {
  IssueCommand,
  JsonObject,
  PassContent,
  PassDataInput,
  RewardCommand,
  TransactionCommand,
  WorkflowCommand,
} from '#intents/core';
import type { ListOptions, PassLookup, PassQuery, ScheduledUpdate } from '#gateway';
import { GatewayError } from '#gateway';

import type { ResolvedStep } from '../interpreter/contract-client.js';
import { valueAt } from '../interpreter/names.js';
import type { CallName, Setup } from '../specification.js';
import type { GatewayAnswer, PortCall, PortTools } from './port-call.js';
import { answerOf, byPortNames, given, memberKeyOf, messageIn, named, programOf } from './port-call.js';

/** 4.8 */
const updateTransactionType: PortCall = {
  make: async (step, { partner, options }) => {
    const reference = { ...programOf(step), transactionTypeId: step.path['transaction_type_id'] ?? '' };
    const change = { ...reference, ...(byPortNames(step.body) as TransactionTypeChange) };
    return answerOf(await partner.updateTransactionType(change, options));
  },
};

/** 4.9 */
const createTransactionAttribute: PortCall = {
  make: async (step, { partner, options }) => {
    const reference = { ...programOf(step), transactionTypeId: step.path['transaction_type_id'] ?? '' };
    const input = byPortNames(step.body) as TransactionAttributeInput;
    return answerOf(await partner.createTransactionAttribute({ ...reference, ...input }, options));
  },
};

/** 4.10 */
const createBrandAttribute: PortCall = {
  make: async (step, { partner, options }) => {
    const input = byPortNames(step.body) as BrandAttributeInput;
    return answerOf(await partner.createBrandAttribute({ brandId: step.path['brand_id'] ?? '', ...input }, options));
  },
};

/** 4.11 */
const updateBrandAttribute: PortCall = {
  make: async (step, { partner, options }) => {
    const { brand_id: brandId = '', brand_attribute_id: brandAttributeId = '' } = step.path;
    const change = byPortNames(step.body) as BrandAttributeChange;
    return answerOf(await partner.updateBrandAttribute({ brandId, brandAttributeId, ...change }, options));
  },
};

/** 4.12 */
const createTemplate: PortCall = {
  make: async (step, { partner, options }) => {
    const input = byPortNames(step.body) as TemplateInput;
    return answerOf(await partner.createTemplate({ ...programOf(step), ...input }, options));
  },
};

/** 4.13 */
const updateBrand: PortCall = {
  make: async (step, { partner, options }) => {
    const change = byPortNames(step.body) as BrandChange;
    return answerOf(await partner.updateBrand({ brandId: step.path['brand_id'] ?? '', ...change }, options));
  },
};

/**
 * The port wants to know the member even where the pass is named otherwise; nothing of it is sent then. It is told a key
 * that no pass has, so that the answer contradicts nobody.
 */
const nobody = { uniqueId: 'nobody', uniqueIdKey: 'nobody' };

/** 4.6 */
const reward: PortCall = {
  dialectFor: ({ query }) => {
    if (named(query, 'reward.passIdParameter') !== undefined) return { reward: { identifyBy: 'passId' } };
    const isBySerial = named(query, 'reward.serialNumberParameter') !== undefined;
    return { reward: { identifyBy: isBySerial ? 'serialNumber' : 'unique_id' } };
  },
  make: async (step, { partner, setup, options }) => {
    const passId = named(step.query, 'reward.passIdParameter');
    const uniqueId = textOf(step.query['unique_id']);
    const command = given({
      operation: 'reward' as const,
      ...programOf(step),
      ...(uniqueId === undefined ? nobody : { uniqueId, uniqueIdKey: memberKeyOf(step, setup) }),
      rewardId: step.path['reward_id'] ?? '',
      passId: textOf(passId),
      serialNumber: named(step.query, 'reward.serialNumberParameter') as string | undefined,
    });
    return answerOf(await partner.send(command satisfies RewardCommand, options));
  },
};

/** 4.7 */
const transaction: PortCall = {
  dialectFor: ({ query }) => {
    const isBySerial = named(query, 'transaction.serialNumberParameter') !== undefined;
    return { transaction: { identifyBy: isBySerial ? 'serialNumber' : 'unique_id' } };
  },
  make: async (step, { partner, setup, options }) => {
    const { amount, transactionDate, attributes } = step.body as {
      amount: number;
      transactionDate: string;
      attributes: JsonObject;
    };
    const command = given({
      operation: 'transaction' as const,
      ...programOf(step),
      uniqueId: textOf(step.query['unique_id']) ?? nobody.uniqueId,
      uniqueIdKey: memberKeyOf(step, setup),
      transactionTypeId: step.path['transaction_type_id'] ?? '',
      amount: String(amount),
      transactionDate,
      attributes,
      serialNumber: named(step.query, 'transaction.serialNumberParameter') as string | undefined,
    });
    return answerOf(await partner.send(command satisfies TransactionCommand, options));
  },
};

/** Ids are numbers in answers, and text in what is said to the port. */
function textOf(id: unknown): string | undefined {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** 4.1 */
const lookup: PortCall = {
  make: async (step, { partner, setup, options }) => {
    const report = await partner.findPass(lookupOf(step, setup), options);
    switch (report.kind) {
      case 'found':
        return { isYes: true, verdict: 'found', body: report.pass, shapeAlarms: report.shapeAlarms };
      case 'absent':
        return { isYes: false, verdict: 'absent', body: messageIn(report.evidence), shapeAlarms: [] };
      case 'failed':
        return { isYes: false, verdict: report.code, body: messageIn(report.evidence), shapeAlarms: [] };
      default:
        return report satisfies never;
    }
  },
};

function lookupOf(step: ResolvedStep, setup: Setup): PassLookup {
  const { unique_id: uniqueId, email, person_id: personId } = step.query as Record<string, string | undefined>;
  const member = typeof step.gateway === 'object' && 'member' in step.gateway ? step.gateway.member : undefined;
  const reference = {
    ...programOf(step),
    uniqueId: uniqueId ?? member ?? email ?? '',
    uniqueIdKey: memberKeyOf(step, setup),
  };
  if (email !== undefined) return { ...reference, by: { parameter: 'email', value: email } };
  return personId === undefined ? reference : { ...reference, by: { parameter: 'person_id', value: personId } };
}

/** 4.2 */
const issue: PortCall = {
  dialectFor: repeatedIds,
  make: async (step, { partner, setup, options }) => {
    const command: IssueCommand = { operation: 'issue', ...memberOf(step, setup), content: contentOf(step.body) };
    return answerOf(await partner.send(command, options));
  },
};

/** 4.3 */
function workflow(operation: WorkflowCommand['operation']): PortCall {
  return {
    dialectFor: repeatedIds,
    make: async (step, { partner, setup, options }) => {
      const workflowId = step.path['workflow_id'] ?? '';
      const command = { operation, workflowId, ...memberOf(step, setup), content: contentOf(step.body) };
      return answerOf(await partner.send(command, options));
    },
  };
}

const issueViaWorkflow = workflow('issue-via-workflow');
const updateViaWorkflow = workflow('update-via-workflow');

function repeatedIds({ body }: ResolvedStep): { issue?: { repeatIds: boolean } } {
  return named(body, 'issue.names.programId') === undefined ? {} : { issue: { repeatIds: true } };
}

function memberOf(
  step: ResolvedStep,
  setup: Setup,
): Pick<IssueCommand, 'brandId' | 'programId' | 'uniqueId' | 'uniqueIdKey'> {
  const uniqueIdKey = memberKeyOf(step, setup);
  const uniqueId = valueAt(step.body, `passdata.metaData.${uniqueIdKey}`);
  return { ...programOf(step), uniqueId: typeof uniqueId === 'string' ? uniqueId : '', uniqueIdKey };
}

const smsValues: Readonly<Record<string, PassContent['smsSubscription']>> = {
  '<sms.promotional>': 200,
  '<sms.transactional>': 300,
  '<sms.optedOut>': 900,
};

/** What an issue, an update or a scheduled change carries, in the port's words. */
function contentOf(body: unknown): PassContent {
  const { person, passdata } = (body ?? {}) as { person?: PassContent['person']; passdata?: PassDataInput };
  return given({
    person: person === undefined ? undefined : personOf(person),
    passdata,
    tierId: named(body, 'issue.names.tierId') as number | undefined,
    templateId: named(body, 'issue.names.templateId') as number | undefined,
    groupId: named(body, 'issue.names.groupId') as string | undefined,
    message: named(body, 'issue.names.currentMessage') as string | undefined,
    ipAddress: named(body, 'issue.names.ipAddress') as string | undefined,
    smsSubscription: smsValues[String(named(body, 'issue.names.smsSubscription'))],
  });
}

/** The port takes child attributes beside the documented ones, wherever the partner wants them. */
function personOf(person: JsonObject): JsonObject {
  const { '<person.attributesProperty?>': attributes, ...documented } = person;
  return { ...documented, ...(attributes as JsonObject | undefined) };
}

/** 4.4 */
const scheduleUpdate: PortCall = {
  make: async (step, { partner, options }) => {
    const {
      scheduledName = '',
      scheduledTimestamp: timestampMs,
      filters,
    } = step.body as {
      scheduledName?: string;
      scheduledTimestamp?: number;
      filters?: { unique_id?: string };
    };
    const dateTime = named(step.body, 'schedule.names.dateTime');
    const timeZone = named(step.body, 'schedule.names.timeZone');
    const change = named(step.body, 'schedule.change?');
    const { unique_id: uniqueId, email, person_id: personId } = step.query as Record<string, string | undefined>;
    const update: ScheduledUpdate = {
      ...programOf(step),
      scheduledName,
      ...(change === undefined ? {} : { content: contentOf(change) }),
      at: given({ timestampMs, dateTime, timeZone }),
      query: given({ uniqueId, email, personId }),
      ...(filters?.unique_id === undefined ? {} : { filters: { uniqueId: filters.unique_id } }),
    };
    return answerOf(await partner.scheduleUpdate(update, options));
  },
};

/** 4.5: the first page of an iteration, or the count alone. */
const list: PortCall = {
  dialectFor: ({ query }) => {
    const times = ['lastUpdated', 'lastUpdatedStartDate', 'lastUpdatedEndDate'].map((name) => time(query, name));
    const isNumber = times.some((value) => typeof value === 'number');
    const status = named(query, 'list.names.statusCode');
    // Both forms of either are documented: the row says which.
    return {
      list: {
        ...(times.some((value) => value !== undefined) && { timeFormat: isNumber ? 'milliseconds' : 'iso' }),
        ...(typeof status === 'string' && { statusAs: 'name' }),
      },
    };
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

/** The port asks for a token by itself; that it can be told to shows what came of it. */
const token: PortCall = {
  make: async (_step, { partner, options }) => {
    const report = await partner.checkToken(options);
    const isYes = report.kind === 'granted';
    return { isYes, verdict: report.kind, body: {}, shapeAlarms: isYes ? report.shapeAlarms : [] };
  },
};

/** Every call of the specification, said to the port. */
export const portCalls: Readonly<Record<CallName, PortCall>> = {
  token,
  lookup,
  issue,
  'issue-via-workflow': issueViaWorkflow,
  'update-via-workflow': updateViaWorkflow,
  'schedule-update': scheduleUpdate,
  list,
  reward,
  transaction,
  'update-transaction-type': updateTransactionType,
  'create-transaction-attribute': createTransactionAttribute,
  'create-brand-attribute': createBrandAttribute,
  'update-brand-attribute': updateBrandAttribute,
  'create-template': createTemplate,
  'update-brand': updateBrand,
};
