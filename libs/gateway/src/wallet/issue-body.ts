import type { IssueBody } from '#contracts';
import type { IssueCommand, PassContent, WorkflowCommand } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';

/**
 * Body of 4.2 and 4.3 (partner-api.md). What the command leaves out is left out, an explicit null is sent. The member
 * key is always in `passdata.metaData`: without it the pass could not be found again.
 * @returns JSON text
 */
export function issueBody(command: IssueCommand | WorkflowCommand, dialect: Dialect): string {
  const { content, uniqueId, uniqueIdKey } = command;
  const body: IssueBody = {
    ...(content.person !== undefined && { person: content.person }),
    passdata: { ...content.passdata, metaData: { ...content.passdata?.metaData, [uniqueIdKey]: uniqueId } },
    ...furtherProperties(content, dialect),
    ...repeatedIds(command, dialect),
  };
  return JSON.stringify(body);
}

/** `undefined` values vanish in JSON. */
function furtherProperties(content: PassContent, { issue: { names } }: Dialect): Record<string, unknown> {
  return {
    [names.tierId]: content.tierId,
    [names.templateId]: content.templateId,
    [names.groupId]: content.groupId,
    [names.currentMessage]: content.message,
    [names.smsSubscription]: content.smsSubscription,
    [names.ipAddress]: content.ipAddress,
  };
}

function repeatedIds(command: IssueCommand | WorkflowCommand, { issue }: Dialect): Record<string, unknown> {
  if (!issue.repeatIds) return {};
  const write = (id: string): string | number => (issue.repeatedIdType === 'number' ? asNumber(id) : id);
  return { [issue.names.brandId]: write(command.brandId), [issue.names.programId]: write(command.programId) };
}

/** Only where nothing is lost: `007` and ids beyond 2^53 stay text. */
function asNumber(id: string): string | number {
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : id;
}
