import type { Program, SourceEventOf } from '#contracts';
import type { Mapped } from './attribute-mapping.js';
import { isScalar, valueAt } from './data-path.js';
import type { JsonObject, JsonValue } from './partner-command.js';
import { PASS_FIELDS, PERSON_FIELDS } from './pass-content.js';

export type Updated = SourceEventOf<'loyalty.member.updated.v1'>;

/** One value to be sent: where it lies in the event's data, and what it is called at the partner. */
export interface ChangedField {
  readonly target: 'person' | 'passdata' | 'metaData' | 'root';
  readonly name: string;
  readonly path: readonly string[];
}

const rootFields = ['tier', 'message', 'groupId', 'smsSubscription'] as const;

/** Every value that one changed path stands for; empty when the program sends nothing of it. */
export function fieldsOf(changed: string, { data }: Updated, { personAttributes }: Program): ChangedField[] {
  const attributes = Object.entries(personAttributes).flatMap(([name, source]) =>
    source.kind === 'path' && covers(changed, source.path)
      ? [{ target: 'person', name, path: source.path } as const]
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
  const names = field === '' ? Object.keys(valueAt(data, [root]) ?? {}) : [field];
  return names
    .filter((name) => known === null || known.includes(name))
    .map((name) => ({ target, name, path: [root, name] }));
}

/** True when `changed` is the path itself or something around it. */
function covers(changed: string, path: readonly string[]): boolean {
  const text = path.join('.');
  return text === changed || text.startsWith(`${changed}.`);
}

/** The value at a changed path; named but absent is a mistake of the producer, `null` clears. */
export function changedValue({ target, path }: ChangedField, data: object): Mapped<JsonValue> {
  const value = valueAt(data, path);
  const where = `data.${path.join('.')}`;
  if (value === undefined) return { ok: false, detail: `${where}: named in changed, but absent` };
  if (value !== null && target === 'person' && !isScalar(value)) {
    return { ok: false, detail: `${where}: must be text, a number or a boolean` };
  }
  return { ok: true, value };
}

/** The values of one target by their name at the partner; `undefined` when there are none. */
export function valuesOf(
  values: readonly (ChangedField & { readonly value: JsonValue })[],
  target: ChangedField['target'],
): JsonObject | undefined {
  const entries = values.filter((field) => field.target === target).map(({ name, value }) => [name, value] as const);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
