import type { Body } from '../api/api-types.js';

/** As it is asked for. */
export type Schedule = Extract<Body<'/jobs'>, { readonly kind: 'schedule' }>;

interface ScheduleField {
  /** As the API calls it. */
  readonly name: string;
  readonly label: string;
  readonly takes: 'text' | 'whole number' | 'number';
}

/** Whose passes: all that is said must fit. */
export const selectFields: readonly ScheduleField[] = [
  { name: 'memberId', label: 'Member’s id', takes: 'text' },
  { name: 'tier', label: 'Tier number', takes: 'whole number' },
  { name: 'template', label: 'Template number', takes: 'whole number' },
  { name: 'group', label: 'Group', takes: 'text' },
  { name: 'status', label: 'Status, such as ACTIVE', takes: 'text' },
];

/** What they get. */
export const changeFields: readonly ScheduleField[] = [
  { name: 'tier', label: 'New tier number', takes: 'whole number' },
  { name: 'template', label: 'New template number', takes: 'whole number' },
  { name: 'group', label: 'New group', takes: 'text' },
  { name: 'message', label: 'Message, the same for all', takes: 'text' },
  { name: 'points', label: 'New points', takes: 'number' },
  { name: 'expiryDate', label: 'New expiry date', takes: 'text' },
];

/** What is typed, by the names of the fields. */
export type Texts = Readonly<Record<string, string>>;

const patterns: Readonly<Record<ScheduleField['takes'], RegExp>> = {
  text: /./,
  'whole number': /^\d{1,15}$/,
  number: /^-?\d{1,15}(?:\.\d{1,6})?$/,
};

type Said = readonly (readonly [ScheduleField, string])[];

const saidOf = (fields: readonly ScheduleField[], texts: Texts): Said =>
  fields.flatMap((field) => {
    const text = (texts[field.name] ?? '').trim();
    return text === '' ? [] : [[field, text] as const];
  });

const valuesOf = (said: Said): object =>
  Object.fromEntries(said.map(([{ name, takes }, text]) => [name, takes === 'text' ? text : Number(text)]));

const isSaid = (said: Said, name: string): boolean => said.some(([field]) => field.name === name);

function whenFlaw(at: string | null, nowMs: number): string | null {
  if (at === null) return 'Say when.';
  return Date.parse(at) <= nowMs ? 'That time has passed.' : null;
}

function valueFlaw(said: Said): string | null {
  const wrong = said.find(([{ takes }, text]) => !patterns[takes].test(text));
  return wrong === undefined ? null : `${wrong[0].label}: that is no ${wrong[0].takes}.`;
}

function selectFlaw(selected: Said, changed: Said): string | null {
  if (selected.length === 0) return 'Say whose passes.';
  if (!isSaid(selected, 'memberId') || !isSaid(changed, 'message')) return null;
  return 'A message to one member is personal, and would be kept in the clear: have it sent as an event.';
}

export type ReadSchedule =
  | { readonly kind: 'whole'; readonly schedule: Pick<Schedule, 'at' | 'select' | 'change'> }
  | { readonly kind: 'missing'; readonly why: string };

interface Draft {
  /** ISO; null: none is said, or it is no time. */
  readonly at: string | null;
  readonly select: Texts;
  readonly change: Texts;
}

/** What is asked for, or why it cannot be yet: as the daemon judges, before anything is sent. */
export function readSchedule({ at, select, change }: Draft, nowMs: number): ReadSchedule {
  const [selected, changed] = [saidOf(selectFields, select), saidOf(changeFields, change)];
  const why = whenFlaw(at, nowMs) ?? selectFlaw(selected, changed) ?? valueFlaw([...selected, ...changed]);
  if (why !== null) return { kind: 'missing', why };
  const asked = { at, select: valuesOf(selected), ...(changed.length === 0 ? {} : { change: valuesOf(changed) }) };
  return { kind: 'whole', schedule: asked as Pick<Schedule, 'at' | 'select' | 'change'> };
}
