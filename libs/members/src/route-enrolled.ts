import type { Program, WorkflowMapping } from '#contracts';
import type { Mapped, Routing } from '#events/core';
import {
  compact,
  intentOf,
  isAbsent,
  isScalar,
  mapAttributes,
  orAbsent,
  referenceOf,
  sentDataText,
  valueAt,
} from '#events/core';
import type {
  IssueCommand,
  JsonObject,
  PassContent,
  RouteResult,
  SmsSubscription,
  WorkflowCommand,
} from '#intents/core';
import { enrolmentKeyOf, PASS_FIELDS, PERSON_FIELDS, quarantine, routed } from '#intents/core';

import type { Enrolled } from './member-events.js';

type SmsWord = NonNullable<Enrolled['data']['smsSubscription']>;

const smsNumbers: Readonly<Record<SmsWord, SmsSubscription>> = {
  promotional: 200,
  transactional: 300,
  'opted-out': 900,
};

export function smsSubscriptionOf(word: SmsWord): SmsSubscription {
  return smsNumbers[word];
}

/** The partner's tier, or `null` when the program has no tier of that name. */
export function tierIdOf({ tiers }: Program, tier: string): number | null {
  return Object.hasOwn(tiers, tier) ? (tiers[tier] ?? null) : null;
}

/** The template of a tier's passes; `undefined` where the program names none. */
export function templateIdOf(
  { tierTemplates = {}, templateId }: Program,
  tier: string | null | undefined,
): number | undefined {
  const own = tier && Object.hasOwn(tierTemplates, tier) ? tierTemplates[tier] : undefined;
  return own ?? orAbsent(templateId);
}

/** The workflow for this event: another one than usual where the field that chooses says so. */
export function workflowIdOf({ workflowId, choose }: WorkflowMapping, data: object): string {
  const value = choose === undefined ? undefined : valueAt(data, choose.by);
  if (choose === undefined || value === undefined || value === null || !isScalar(value)) return workflowId;
  const text = String(value);
  return Object.hasOwn(choose.workflows, text) ? (choose.workflows[text] ?? workflowId) : workflowId;
}

interface Identified {
  readonly metaData: JsonObject;
  readonly program: Program;
  readonly memberId: string;
}

/**
 * The shop's metaData with the key by which the pass is found again; `null` when the shop uses that key for something
 * else.
 */
export function identifiedMetaData({ metaData, program, memberId }: Identified): JsonObject | null {
  const key = program.uniqueIdKey;
  if (Object.hasOwn(metaData, key) && metaData[key] !== memberId) return null;
  return { ...metaData, [key]: memberId };
}

export const metaDataClash = (program: Program): string =>
  `data.metaData.${program.uniqueIdKey}: is the key that carries the member id`;

/** An enrolment issues the pass: 4.2, or 4.3 where the program enrols by a workflow. */
export function routeEnrolled(routing: Routing<Enrolled>): RouteResult {
  const { program, event } = routing;
  const { tier } = event.data;
  const tierId = tier ? tierIdOf(program, tier) : undefined;
  if (tierId === null) return quarantine('unroutable', "data.tier: not one of the program's tiers");
  const content = issueContent(routing, tierId);
  if (!content.ok) return quarantine('invalid', content.detail);
  const intent = intentOf(routing, enrolmentCommand(routing, content.value), {
    businessKey: enrolmentKeyOf(routing),
    businessContent: sentDataText(routing.event),
  });
  return routed([intent]);
}

function enrolmentCommand(routing: Routing<Enrolled>, content: PassContent): IssueCommand | WorkflowCommand {
  const { enrolment } = routing.program;
  const reference = referenceOf(routing, routing.event.data.person?.email);
  return enrolment.via === 'issue'
    ? { ...reference, operation: 'issue', content }
    : {
        ...reference,
        operation: 'issue-via-workflow',
        workflowId: workflowIdOf(enrolment, routing.event.data),
        content,
      };
}

function issueContent(routing: Routing<Enrolled>, tierId: number | undefined): Mapped<PassContent> {
  const { program, memberId, event } = routing;
  const { data, time } = event;
  const attributes = mapAttributes({ sources: program.personAttributes, data, time });
  if (!attributes.ok) return attributes;
  const metaData = identifiedMetaData({ metaData: (data.metaData ?? {}) as JsonObject, program, memberId });
  if (metaData === null) return { ok: false, detail: metaDataClash(program) };
  const value = compact<PassContent>({
    person: { ...given(data.person, PERSON_FIELDS), ...attributes.value },
    passdata: { ...given(data.pass, PASS_FIELDS), metaData },
    tierId,
    message: isAbsent(data.message) ? undefined : data.message,
    groupId: isAbsent(data.groupId) ? undefined : data.groupId,
    smsSubscription: data.smsSubscription ? smsSubscriptionOf(data.smsSubscription) : undefined,
    templateId: templateIdOf(program, data.tier),
    ipAddress: isAbsent(data.ipAddress) ? undefined : data.ipAddress,
  });
  return { ok: true, value };
}

/** The known fields that have a value; an empty text is how a till says that there is none. Unknown ones are kept in the event and never sent unmapped. */
function given(source: object | null | undefined, fields: readonly string[]): JsonObject {
  const entries = fields.flatMap((field) => {
    const value = valueAt(source ?? {}, [field]);
    return isAbsent(value) ? [] : [[field, value] as const];
  });
  return Object.fromEntries(entries);
}
