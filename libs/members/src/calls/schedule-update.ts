import { type ScheduleAnswer, scheduleAnswerSchema, type ScheduleTime, scheduleTimeSchema } from '#contracts';
import { rawJson } from '#platform';
import { z } from 'zod';
import type { PlannedRequest, Dialect, ScheduledUpdate, AnswerProof } from '#gateway/core';
import {
  readShape,
  checkInput,
  programPath,
  queryText,
  refuse,
  DOCUMENTED_SCHEDULE,
  operation,
  messagePart,
  unlessDenied,
} from '#gateway/core';
import { contentProperties, numericParts } from './issue-pass.js';
import { type CheckedSelection, keyText, passSelectionSchema } from './pass-selection-schema.js';
import { judgeScheduleTime } from './schedule-time.js';

const updateSchema = z.object({
  scheduledName: keyText,
  at: scheduleTimeSchema.optional(),
  uniqueId: keyText.optional(),
  query: passSelectionSchema.pick({ uniqueId: true, email: true, personId: true }).optional(),
  filters: passSelectionSchema.optional(),
});

type CheckedUpdate = z.infer<typeof updateSchema>;

/**
 * @throws InvalidRequest also for an update that selects nothing (it could hit a whole program: design.md section 7), and
 * for a time that `judgeScheduleTime` refuses
 */
export function planSchedule(input: ScheduledUpdate, dialect: Dialect, nowMs: number): PlannedRequest {
  const update = checkInput(updateSchema, input);
  const { query, filters } = selectionOf(update, dialect);
  const search = queryText([
    ['person_id', query.personId, 'query.personId'],
    ['email', query.email, 'query.email'],
    ['unique_id', query.uniqueId, 'query.uniqueId'],
  ]);
  const filterValues = filterProperties(filters, dialect);
  if (search === '' && filterValues === undefined) refuse('filters', 'the update must select passes');
  const body = {
    scheduledName: update.scheduledName,
    ...timeProperties(update.at, { dialect, nowMs }),
    filters: filterValues,
    ...change(input, dialect),
  };
  return { method: 'PATCH', path: `${programPath(input)}/wallets/schedule${search}`, body: JSON.stringify(body) };
}

interface Selection {
  readonly query: CheckedSelection;
  readonly filters: CheckedSelection;
}

/** The one pass that is meant goes where the dialect says, whatever else is asked for. */
function selectionOf({ uniqueId, query = {}, filters = {} }: CheckedUpdate, { schedule }: Dialect): Selection {
  if (uniqueId === undefined) return { query, filters };
  const isOther = (selection: CheckedSelection): boolean => (selection.uniqueId ?? uniqueId) !== uniqueId;
  if (isOther(query) || isOther(filters)) refuse('uniqueId', 'is not the one in query or filters');
  return {
    query: schedule.selectBy === 'filters' ? query : { ...query, uniqueId },
    filters: schedule.selectBy === 'query' ? filters : { ...filters, uniqueId },
  };
}

/** Undefined values vanish in JSON; `undefined` when nothing is left. */
function filterProperties(
  filters: CheckedSelection,
  { schedule: { filterNames: names } }: Dialect,
): object | undefined {
  const properties = {
    unique_id: filters.uniqueId,
    [names.personId]: filters.personId,
    [names.email]: filters.email,
    [names.serialNumber]: filters.serialNumber,
    [names.groupId]: filters.groupId,
    [names.templateId]: filters.templateId === undefined ? undefined : rawNumber(filters.templateId),
    [names.templateTierId]: filters.templateTierId === undefined ? undefined : rawNumber(filters.templateTierId),
    [names.statusCode]: filters.statusCode,
  };
  return Object.values(properties).some((value) => value !== undefined) ? properties : undefined;
}

/** An id for a body: beyond 2^53 it is text here, and still a number there. */
function rawNumber(id: number | string): unknown {
  return typeof id === 'number' ? id : rawJson(id);
}

/** @param at as soon as possible where none is given */
function timeProperties(
  at: ScheduleTime | undefined,
  { dialect: { schedule }, nowMs }: { readonly dialect: Dialect; readonly nowMs: number },
): object {
  if (at === undefined) return { scheduledTimestamp: nowMs + schedule.leadMs };
  const judged = judgeScheduleTime(at, nowMs);
  if (judged.kind === 'refused') return refuse('at', judged.rule);
  if ('timestampMs' in at) return { scheduledTimestamp: at.timestampMs };
  const { names, dateTimeFormat, timeZoneAs } = schedule;
  const timeZone = timeZoneAs === 'name' ? at.timeZone : judged.offset;
  return { [names.dateTime]: localTimeText(at.dateTime, dateTimeFormat), [names.timeZone]: timeZone };
}

/** @param dateTime `yyyy-MM-ddTHH:mm:ss` */
function localTimeText(dateTime: string, format: Dialect['schedule']['dateTimeFormat']): string {
  switch (format) {
    case 'iso':
      return dateTime;
    case 'iso-milliseconds':
      return `${dateTime}.000`;
    case 'space':
      return dateTime.replace('T', ' ');
    case 'compact':
      return dateTime.replace(/[-:]/g, '');
    default:
      return format satisfies never;
  }
}

function change({ content }: ScheduledUpdate, dialect: Dialect): object {
  if (content === undefined) return {};
  const { changeProperty, changeAt } = dialect.schedule;
  const named = contentProperties(content, dialect);
  const properties = { ...named, ...numericParts(named, dialect) };
  if (Object.values(properties).every((value) => value === undefined)) refuse('content', 'changes nothing');
  if (changeAt === 'top-level') return besideTheDocumented(properties, dialect);
  if (changeProperty === null) return refuse('content', 'the dialect does not say where a change goes');
  return { [changeProperty]: properties };
}

/** @throws InvalidRequest where a property of the change would overwrite one of the schedule's own */
function besideTheDocumented(properties: object, { schedule: { names } }: Dialect): object {
  const taken = [...DOCUMENTED_SCHEDULE, ...Object.values(names)];
  const double = Object.keys(properties).find((name) => taken.includes(name));
  return double === undefined ? properties : refuse('content', `${double} is a property of the schedule itself`);
}

/** 4.4 answers a message that confirms the schedule: nothing else is documented, so its words must do so. */
const scheduleProof: AnswerProof<unknown> = {
  needed: (_update, { success }) => success.proof['schedule-update'],
  shown: unlessDenied(({ message }, _update, { confirmationPattern }) =>
    typeof message === 'string' && confirmationPattern.test(messagePart(message)) ? 'documented' : 'none',
  ),
};

/** 4.4 Schedule a wallet update by filter. */
export const scheduleUpdate = operation<ScheduledUpdate, ScheduleAnswer>({
  plan: planSchedule,
  read: (answer) => readShape(scheduleAnswerSchema, answer),
  proof: scheduleProof,
});
