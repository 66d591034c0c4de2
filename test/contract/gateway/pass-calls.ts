import type { IssueCommand, JsonObject, PassContent, PassDataInput, WorkflowCommand } from '#domain';
import type { PassLookup, ScheduledUpdate } from '#gateway';
import type { ResolvedStep } from '../interpreter/contract-client.js';
import { valueAt } from '../interpreter/value-at.js';
import type { Setup } from '../reading/setup.js';
import { answerOf, messageIn } from './gateway-answer.js';
import { given, memberKeyOf, named, type PortCall, programOf } from './port-call.js';

/** 4.1 */
export const lookup: PortCall = {
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
export const issue: PortCall = {
  dialectFor: repeatedIds,
  make: async (step, { partner, setup, options }) => {
    const command: IssueCommand = { operation: 'issue', ...memberOf(step, setup), content: contentOf(step.body) };
    return answerOf(await partner.issue(command, options));
  },
};

/** 4.3 */
function workflow(operation: WorkflowCommand['operation']): PortCall {
  return {
    dialectFor: repeatedIds,
    make: async (step, { partner, setup, options }) => {
      const workflowId = step.path['workflow_id'] ?? '';
      const command = { operation, workflowId, ...memberOf(step, setup), content: contentOf(step.body) };
      return answerOf(await partner.runWorkflow(command, options));
    },
  };
}

export const issueViaWorkflow = workflow('issue-via-workflow');
export const updateViaWorkflow = workflow('update-via-workflow');

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
export function contentOf(body: unknown): PassContent {
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
export const scheduleUpdate: PortCall = {
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
    const { unique_id: uniqueId, email, person_id: personId } = step.query as Record<string, string | undefined>;
    const update: ScheduledUpdate = {
      ...programOf(step),
      scheduledName,
      content: contentOf(named(step.body, 'schedule.changeProperty')),
      at: given({ timestampMs, dateTime, timeZone }),
      query: given({ uniqueId, email, personId }),
      ...(filters?.unique_id === undefined ? {} : { filters: { uniqueId: filters.unique_id } }),
    };
    return answerOf(await partner.scheduleUpdate(update, options));
  },
};
