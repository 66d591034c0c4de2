import type { Program } from '#contracts';
import type { Mapped, Routing } from '#events/core';
import { compact, intentOf, isScalar, referenceOf, valueAt } from '#events/core';
import type {
  JsonObject,
  JsonValue,
  PassContent,
  PassReference,
  RoutedIntent,
  RouteResult,
  ScheduleUpdateCommand,
  WorkflowCommand,
} from '#intents/core';
import { ignored, PASS_FIELDS, PERSON_FIELDS, quarantine, routed } from '#intents/core';

import type { Updated } from './member-events.js';
import { identifiedMetaData, metaDataClash, smsSubscriptionOf, tierIdOf, workflowIdOf } from './route-enrolled.js';

/** One value to be sent: where it lies in the event's data, and what it is called at the partner. */
interface ChangedField {
  readonly target: 'person' | 'passdata' | 'metaData' | 'root';
  readonly name: string;
  readonly path: readonly string[];
  /** The changed path that stands for it; absent: its own. */
  readonly changed?: string;
}

const rootFields = ['tier', 'message', 'groupId', 'smsSubscription'] as const;

/** Every value that one changed path stands for; empty when the program sends nothing of it. */
function fieldsOf(changed: string, { data }: Updated, { personAttributes }: Program): ChangedField[] {
  const attributes = Object.entries(personAttributes).flatMap(([name, source]) =>
    source.kind === 'path' && covers(changed, source.path)
      ? [{ target: 'person', name, path: source.path, changed } as const]
      : [],
  );
  return [...documentedFields(changed, data), ...attributes];
}

function documentedFields(changed: string, data: Updated['data']): ChangedField[] {
  const [root = '', ...rest] = changed.split('.');
  switch (root) {
    case 'person':
      return members({ target: 'person', root, field: rest.join('.'), known: PERSON_FIELDS, data });
    case 'pass':
      return members({ target: 'passdata', root, field: rest.join('.'), known: PASS_FIELDS, data });
    case 'metaData':
      return members({ target: 'metaData', root, field: rest.join('.'), known: null, data });
    default:
      return rootFields.some((field) => field === changed) ? [{ target: 'root', name: changed, path: [changed] }] : [];
  }
}

interface Members {
  readonly target: ChangedField['target'];
  readonly root: string;
  /** Empty: all of it. A key of metaData may contain dots. */
  readonly field: string;
  /** `null`: every name may be sent. */
  readonly known: readonly string[] | null;
  readonly data: object;
}

function members({ target, root, field, known, data }: Members): ChangedField[] {
  const whole = valueAt(data, [root]) === null ? known : Object.keys(valueAt(data, [root]) ?? {});
  const names = field === '' ? (whole ?? []) : [field];
  return names
    .filter((name) => known === null || known.includes(name))
    .map((name) => ({ target, name, path: [root, name], ...(field === '' ? { changed: root } : {}) }));
}

/**
 * A whole group that says nothing of any field, although it is named; null: there is none. `null` clears the person, for all
 * that was ever sent of it is known. Which keys of metaData a pass has is not, and without points and consent a pass is
 * something else than a cleared one: who means that names the fields.
 */
function emptyGroup({ data }: Updated): string | null {
  const named = ['person', 'pass', 'metaData'].filter((group) => data.changed.includes(group));
  const isEmpty = (group: string): boolean => {
    const value = valueAt(data, [group]);
    return value === null ? group !== 'person' : Object.keys(value ?? {}).length === 0;
  };
  const group = named.find(isEmpty);
  return group === undefined ? null : `data.${group}: names no field: each one to be cleared is to be named`;
}

/** True when `changed` is the path itself or something around it. */
function covers(changed: string, path: readonly string[]): boolean {
  const text = path.join('.');
  return text === changed || text.startsWith(`${changed}.`);
}

/** Whether something at or below the changed path that stands for a value is `null`. */
function isCleared({ path, changed }: ChangedField, data: object): boolean {
  const depth = changed?.split('.').length ?? path.length;
  return path.some((_name, index) => index + 1 >= depth && valueAt(data, path.slice(0, index + 1)) === null);
}

/** The value at a changed path; named but absent is a mistake of the producer, `null` clears, also all that lies below it. */
function changedValue(field: ChangedField, data: object): Mapped<JsonValue> {
  const { target, path } = field;
  const value = isCleared(field, data) ? null : valueAt(data, path);
  const where = `data.${path.join('.')}`;
  if (value === undefined) return { ok: false, detail: `${where}: named in changed, but absent` };
  if (value !== null && target === 'person' && !isScalar(value)) {
    return { ok: false, detail: `${where}: must be text, a number or a boolean` };
  }
  return { ok: true, value };
}

/** The values of one target by their name at the partner; `undefined` when there are none. */
function valuesOf(
  values: readonly (ChangedField & { readonly value: JsonValue })[],
  target: ChangedField['target'],
): JsonObject | undefined {
  const entries = values.filter((field) => field.target === target).map(({ name, value }) => [name, value] as const);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The pass that is to be changed, and how a scheduled change of it is named. */
interface UpdateTarget {
  readonly program: Program;
  readonly reference: PassReference;
  readonly scheduledName: string;
  /** Of the event, for what chooses the workflow; absent where it is not at hand: then the usual one. */
  readonly data?: object;
}

/**
 * The call that changes a pass: 4.3 with the update workflow, 4.4, or `null` where the program has none. A workflow
 * finds the pass by nothing but its body, so that the member id goes along in `passdata.metaData`.
 */
export function updateOf(target: UpdateTarget, content: PassContent): WorkflowCommand | ScheduleUpdateCommand | null {
  const { program, reference, scheduledName } = target;
  const { update } = program;
  switch (update.via) {
    case 'workflow': {
      const metaData = { ...content.passdata?.metaData, [program.uniqueIdKey]: reference.uniqueId };
      return {
        ...reference,
        operation: 'update-via-workflow',
        workflowId: workflowIdOf(update, target.data ?? {}),
        content: { ...content, passdata: { ...content.passdata, metaData } },
      };
    }
    case 'schedule':
      return { ...reference, operation: 'schedule-update', scheduledName, content };
    case 'none':
      return null;
    default:
      return update satisfies never;
  }
}

/** As `updateOf`, for an event about its member. */
export function updateCommand(routing: Routing, content: PassContent): ReturnType<typeof updateOf> {
  const { program, event } = routing;
  return updateOf(
    {
      ...{ program, reference: referenceOf(routing), data: event.data },
      scheduledName: `loyaltyd ${event.source} ${event.id}`,
    },
    content,
  );
}

/** An update sends the changed paths and nothing else; what the program does not send is ignored, visibly. */
export function routeUpdated(routing: Routing<Updated>): RouteResult {
  const { event, program } = routing;
  if (event.data.changed.length === 0) return ignored('nothing-changed');
  if (program.update.via === 'none') return ignored('not-mapped');
  const empty = emptyGroup(event);
  if (empty !== null) return quarantine('invalid', empty);
  const fields = event.data.changed.flatMap((changed) => fieldsOf(changed, event, program));
  if (fields.length === 0) return ignored('not-mapped');
  return routeFields(routing, fields);
}

type ChangedValue = ChangedField & { readonly value: JsonValue };

function routeFields(routing: Routing<Updated>, fields: readonly ChangedField[]): RouteResult {
  const { event, program, memberId } = routing;
  const values = readValues(fields, event.data);
  if (!values.ok) return quarantine('invalid', values.detail);
  const root = valuesOf(values.value, 'root') ?? {};
  const tierId = typeof root['tier'] === 'string' ? tierIdOf(program, root['tier']) : undefined;
  if (tierId === null) return quarantine('unroutable', "data.tier: not one of the program's tiers");
  const metaData = valuesOf(values.value, 'metaData') ?? {};
  if (identifiedMetaData({ metaData, program, memberId }) === null) {
    return quarantine('invalid', metaDataClash(program));
  }
  const content = { ...passContent(values.value), ...rootContent(event, root) };
  return routed(commandsOf(routing, tierId === undefined ? content : { ...content, ...tierContent(routing, tierId) }));
}

/** The tier, and the template of its passes where it has one of its own. */
function tierContent({ event, program: { tierTemplates = {} } }: Routing<Updated>, tierId: number): PassContent {
  const { tier } = event.data;
  const templateId = tier && Object.hasOwn(tierTemplates, tier) ? tierTemplates[tier] : undefined;
  return compact<PassContent>({ tierId, templateId });
}

function readValues(fields: readonly ChangedField[], data: object): Mapped<readonly ChangedValue[]> {
  const values: ChangedValue[] = [];
  for (const field of fields) {
    const changed = changedValue(field, data);
    if (!changed.ok) return changed;
    values.push({ ...field, value: changed.value });
  }
  return { ok: true, value: values };
}

function passContent(values: readonly ChangedValue[]): PassContent {
  const metaData = valuesOf(values, 'metaData');
  const passdata = valuesOf(values, 'passdata');
  return compact<PassContent>({
    person: valuesOf(values, 'person'),
    passdata: metaData === undefined ? passdata : { ...passdata, metaData },
  });
}

function commandsOf(routing: Routing<Updated>, content: PassContent): RoutedIntent[] {
  const command = updateCommand(routing, content);
  return command === null ? [] : [intentOf(routing, command)];
}

/** `null` clears; a field that is not in `root` did not change. */
function rootContent({ data }: Updated, root: JsonObject): PassContent {
  const sms = data.smsSubscription ? smsSubscriptionOf(data.smsSubscription) : null;
  return {
    ...('tier' in root ? { tierId: null } : {}),
    ...('message' in root ? { message: data.message ?? null } : {}),
    ...('groupId' in root ? { groupId: data.groupId ?? null } : {}),
    ...('smsSubscription' in root ? { smsSubscription: sms } : {}),
  };
}
