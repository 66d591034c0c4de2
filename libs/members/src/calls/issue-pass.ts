import { issueBodySchema, type WalletPass } from '#contracts';
import type { IssueCommand, JsonObject, PassContent, SmsSubscription, WorkflowCommand } from '#intents/core';
import type { PlannedRequest, SentValues, Dialect } from '#gateway/core';
import {
  isJsonObject,
  readPass,
  withNumbers,
  checkInput,
  programPath,
  refuse,
  segment,
  NOTHING_SENT,
  passProof,
  operation,
} from '#gateway/core';

export function planIssue(command: IssueCommand, dialect: Dialect): PlannedRequest {
  return { method: 'POST', path: `${programPath(command)}/issue-wallet`, body: issueBody(command, dialect) };
}

/** 4.2 Issue a wallet card. */
export const issue = operation<IssueCommand, WalletPass>({
  plan: planIssue,
  read: readPass,
  sentValues: identifiersOf,
  proof: passProof,
  isSuccessStatus: ({ isIssueSuccessStatus }) => isIssueSuccessStatus,
});

export function planWorkflow(command: WorkflowCommand, dialect: Dialect): PlannedRequest {
  const path = `${programPath(command)}/workflows/${segment('workflowId', command.workflowId)}/wallet-passes`;
  return { method: 'POST', path, body: issueBody(command, dialect) };
}

/** 4.3 Issue (or update) a wallet card via workflow. */
export const runWorkflow = operation<WorkflowCommand, WalletPass>({
  plan: planWorkflow,
  read: readPass,
  sentValues: identifiersOf,
  proof: passProof,
});

/**
 * Body of 4.2 and 4.3 (partner-api.md). What the command leaves out is left out, an explicit null is sent. The member
 * key is always in `passdata.metaData`: without it the pass could not be found again.
 * @returns JSON text
 * @throws InvalidRequest
 */
function issueBody(command: IssueCommand | WorkflowCommand, dialect: Dialect): string {
  const { content, uniqueId, uniqueIdKey } = command;
  if (uniqueId === '') refuse('uniqueId', 'must not be empty');
  const isNumber = dialect.brandAttribute.numbers.includes(uniqueIdKey);
  // A number with another text, such as 12.50, would be asked for as another one than was stored.
  if (isNumber && !WHOLE_NUMBER.test(uniqueId)) refuse('uniqueId', 'must be a whole number in this dialect');
  const metaData = { ...content.passdata?.metaData, [uniqueIdKey]: uniqueId };
  const body = {
    ...contentProperties(content, dialect),
    passdata: { ...content.passdata, metaData },
    ...repeatedIds(command, dialect),
  };
  checkInput(issueBodySchema, body, 'content');
  return JSON.stringify({ ...body, ...numericParts(body, dialect) });
}

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,99})$/;

type BodyParts = { readonly person?: unknown; readonly passdata?: unknown };

/** The parts of a body that may hold attributes of type number, with these as numbers. @throws InvalidRequest */
export function numericParts({ person, passdata }: BodyParts, { brandAttribute, person: place }: Dialect): BodyParts {
  const { numbers } = brandAttribute;
  if (numbers.length === 0) return {};
  const { attributesProperty } = place;
  return {
    ...(isJsonObject(passdata) && {
      passdata: { ...passdata, metaData: withNumbers(passdata['metaData'], numbers, 'content.passdata.metaData') },
    }),
    ...(isJsonObject(person) && {
      person:
        attributesProperty === null
          ? withNumbers(person, numbers, 'content.person')
          : { ...person, [attributesProperty]: withNumbers(person[attributesProperty], numbers, 'content.person') },
    }),
  };
}

/** The content as body properties, named by the dialect. `undefined` values vanish in JSON. */
export function contentProperties(content: PassContent, dialect: Dialect): Record<string, unknown> {
  const { names } = dialect.issue;
  return {
    ...(content.person !== undefined && { person: personProperties(content.person, dialect) }),
    ...(content.passdata !== undefined && { passdata: content.passdata }),
    [names.tierId]: content.tierId,
    [names.templateId]: content.templateId,
    [names.groupId]: content.groupId,
    [names.currentMessage]: content.message,
    [names.smsSubscription]: smsValue(content.smsSubscription, dialect),
    [names.ipAddress]: content.ipAddress,
  };
}

const DOCUMENTED_PERSON: ReadonlySet<string> = new Set(['firstName', 'lastName', 'email', 'phone']);

/** Where child attributes lie is not shown (partner-api.md section 2). */
function personProperties(person: JsonObject, { person: { attributesProperty } }: Dialect): Record<string, unknown> {
  if (attributesProperty === null) return person;
  const isAttribute = ([name]: readonly [string, unknown]): boolean => !DOCUMENTED_PERSON.has(name);
  const entries = Object.entries(person);
  const attributes = entries.filter(isAttribute);
  const documented = Object.fromEntries(entries.filter((entry) => !isAttribute(entry)));
  return attributes.length === 0 ? documented : { ...documented, [attributesProperty]: Object.fromEntries(attributes) };
}

function smsValue(subscription: SmsSubscription | null | undefined, { sms }: Dialect): unknown {
  switch (subscription) {
    case 200:
      return sms.promotional;
    case 300:
      return sms.transactional;
    case 900:
      return sms.optedOut;
    case null:
    case undefined:
      return subscription;
    default:
      subscription satisfies never;
      return refuse('content.smsSubscription', 'must be 200, 300 or 900');
  }
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

/**
 * What the refusal of an enrolment would name as taken. An update is not done by the pass that is there already, nor by
 * who else has the same e-mail address.
 */
function identifiersOf(command: IssueCommand | WorkflowCommand, { duplicate }: Dialect): SentValues {
  if (command.operation === 'update-via-workflow') return NOTHING_SENT;
  const { email } = command.content.person ?? {};
  return {
    values: typeof email === 'string' ? [command.uniqueId, email] : [command.uniqueId],
    names: [command.uniqueIdKey, ...duplicate.identifierNames],
    isLookedUp: true,
  };
}
