import type { PassRole, Transition } from '#intents/core';
import { operationsThat, TRANSITIONS } from '#intents/core';

/** A column of the transition table, or something made of several. */
type Column = (row: Transition) => string | number | null;

/** Events as they are stored: a recorded intent is a row of `intent`. */
const stored = Object.entries(TRANSITIONS).filter(([type]) => type !== 'IntentRecorded');

/** SQL: columns of `intent_event` in a statement. */
interface EventColumns {
  readonly type: string;
  readonly data: string;
}

function literal(value: string | number | null): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${value}'`;
}

function valueOf(rows: readonly Transition[], column: Column, data: string): string {
  const values = rows.map(column);
  if (new Set(values).size === 1) return literal(values[0] ?? null);
  const cases = rows.map(({ when = {} }, index) => {
    const conditions = Object.entries(when).map(([field, value]) => `${data}->>'${field}' = '${value}'`);
    const told = literal(values[index] ?? null);
    return conditions.length === 0 ? `ELSE ${told}` : `WHEN ${conditions.join(' AND ')} THEN ${told}`;
  });
  return `CASE ${cases.join(' ')} END`;
}

/** The types of stored events of which a column of the transition table says something. */
export function eventTypes(column: Column): readonly string[] {
  return stored.filter(([, rows]) => rows.some((row) => column(row) !== null)).map(([type]) => type);
}

/** SQL: a list of types, for `IN`. */
export function typeList(types: readonly string[]): string {
  return types.map(literal).join(', ');
}

/**
 * SQL: what a column of the transition table says of a stored event; NULL where it says nothing.
 * @param otherwise SQL for that instead
 */
export function eventCase(column: Column, { type, data }: EventColumns, otherwise?: string): string {
  const types = new Set(eventTypes(column));
  const cases = stored
    .filter(([name]) => types.has(name))
    .map(([name, rows]) => `WHEN '${name}' THEN ${valueOf(rows, column, data)}`);
  return [`CASE ${type}`, ...cases, ...(otherwise === undefined ? [] : [`ELSE ${otherwise}`]), 'END'].join('\n    ');
}

const columns: EventColumns = { type: 'type', data: 'data' };
const status: Column = (row) => row.status ?? null;

/** SQL: the status of an intent after an event of it, by the columns `type` and `data`. Of those of `statusEvents` only. */
export const statusAfter = eventCase(status, columns);

/** SQL: whether a row of `intent_event` is one after which its intent is delivered. */
export function deliveredBy(event: string): string {
  const told: EventColumns = { type: `${event}.type`, data: `${event}.data` };
  const types = stored.flatMap(([type, rows]) => (rows.some((row) => row.status === 'delivered') ? [type] : []));
  return `(${event}.type IN (${typeList(types)}) AND ${eventCase(status, told)} = 'delivered')`;
}

/** SQL: the types of events that change an intent's status. */
export const statusEvents = typeList(eventTypes(status));

/** SQL: the operations of these roles, for `IN (...)`. */
export function operationList(...roles: readonly PassRole[]): string {
  return operationsThat(...roles)
    .map((operation) => `'${operation}'`)
    .join(', ');
}
