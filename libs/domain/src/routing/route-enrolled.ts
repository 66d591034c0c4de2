import type { SourceEventOf } from '#contracts';
import { mapAttributes, type Mapped } from './attribute-mapping.js';
import { enrolmentKeyOf } from './business-key.js';
import { compact, orAbsent, valueAt } from './data-path.js';
import type { IssueCommand, JsonObject, PassContent, WorkflowCommand } from './partner-command.js';
import {
  identifiedMetaData,
  metaDataClash,
  PASS_FIELDS,
  PERSON_FIELDS,
  smsSubscriptionOf,
  tierIdOf,
} from './pass-content.js';
import type { RouteResult } from './route-result.js';
import { businessContentOf, intentOf, quarantine, referenceOf, routed, type Routing } from './routing.js';

export type Enrolled = SourceEventOf<'loyalty.member.enrolled.v1'>;

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
    businessContent: businessContentOf(routing),
  });
  return routed([intent]);
}

function enrolmentCommand(routing: Routing, content: PassContent): IssueCommand | WorkflowCommand {
  const { enrolment } = routing.program;
  const reference = referenceOf(routing);
  return enrolment.via === 'issue'
    ? { ...reference, operation: 'issue', content }
    : { ...reference, operation: 'issue-via-workflow', workflowId: enrolment.workflowId, content };
}

function issueContent(routing: Routing<Enrolled>, tierId: number | undefined): Mapped<PassContent> {
  const { program, memberId, event } = routing;
  const { data } = event;
  const attributes = mapAttributes({ sources: program.personAttributes, data });
  if (!attributes.ok) return attributes;
  const metaData = identifiedMetaData({ metaData: (data.metaData ?? {}) as JsonObject, program, memberId });
  if (metaData === null) return { ok: false, detail: metaDataClash(program) };
  const value = compact<PassContent>({
    person: { ...given(data.person, PERSON_FIELDS), ...attributes.value },
    passdata: { ...given(data.pass, PASS_FIELDS), metaData },
    tierId,
    message: orAbsent(data.message),
    groupId: orAbsent(data.groupId),
    smsSubscription: data.smsSubscription ? smsSubscriptionOf(data.smsSubscription) : undefined,
    templateId: orAbsent(program.templateId),
    ipAddress: orAbsent(data.ipAddress),
  });
  return { ok: true, value };
}

/** The known fields that have a value. Unknown ones are kept in the event and never sent unmapped. */
function given(source: object | null | undefined, fields: readonly string[]): JsonObject {
  const entries = fields.flatMap((field) => {
    const value = valueAt(source ?? {}, [field]);
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  return Object.fromEntries(entries);
}
