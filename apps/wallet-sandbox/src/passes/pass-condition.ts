import type { SqlParameter } from '#platform';
import type { Wording } from '../contract/wordings.js';
import { refuse } from '../http/refusal.js';
import { activeStatus } from './pass.js';

/** The comparisons of partner-api.md 4.5, its query types. */
type Comparison = 'eq' | 'lt' | 'gt' | 'lte' | 'gte';

const columns = {
  uniqueId: 'p.unique_id',
  personId: 'p.person_id',
  serialNumber: 'p.serial_number',
  groupId: 'p.group_id',
  templateId: 'p.template_id',
  templateTierId: 'p.template_tier_id',
  statusCode: 'p.status_code',
  status: 'p.status',
  updatedAt: 'p.updated_at',
  createdAt: 'p.created_at',
  identity: 'p.identity',
} as const;

const operators: Readonly<Record<Comparison, string>> = { eq: '=', lt: '<', gt: '>', lte: '<=', gte: '>=' };

/** One thing that must be true of a pass; several are all to be true, so that two of one field may contradict. */
export interface PassCondition {
  readonly field: keyof typeof columns;
  readonly comparison: Comparison;
  readonly value: string | number;
}

/** A value that a request may leave out; compared by equality unless it says otherwise. */
export type NamedValue = readonly [
  field: PassCondition['field'],
  value: string | number | undefined,
  comparison?: Comparison | undefined,
];

/** The conditions of the values that are given. */
export function givenConditions(named: readonly NamedValue[]): PassCondition[] {
  return named.flatMap(([field, value, comparison = 'eq']) =>
    value === undefined ? [] : [{ field, comparison, value }],
  );
}

/** Which passes of a program. */
export interface PassSelection {
  readonly brandId: string;
  readonly programId: string;
  readonly conditions: readonly PassCondition[];
}

/** A selection as a condition in SQL on `wallet_sandbox.pass p`. */
interface SelectionSql {
  /** Tells apart the texts: a prepared statement is known by its name. */
  readonly suffix: string;
  readonly where: string;
  readonly parameters: readonly SqlParameter[];
}

/**
 * Only the given conditions stand in the text: one text for every combination (`$1 IS NULL OR ...`) would be planned
 * once for all, by no index of any.
 */
export function selectionSql({ brandId, programId, conditions }: PassSelection): SelectionSql {
  const parts = ['p.brand_id = $1', 'p.program_id = $2'];
  for (const { field, comparison } of conditions) {
    parts.push(`${columns[field]} ${operators[comparison]} $${parts.length + 1}`);
  }
  return {
    suffix: conditions.map(codeOf).join(''),
    where: parts.join(' AND '),
    parameters: [brandId, programId, ...conditions.map((condition) => condition.value)],
  };
}

/** Two letters a condition: Postgres keeps 63 bytes of a name. */
function codeOf({ field, comparison }: PassCondition): string {
  const fieldIndex = Object.keys(columns).indexOf(field);
  const comparisonIndex = Object.keys(operators).indexOf(comparison);
  return `${String.fromCharCode(97 + fieldIndex)}${comparisonIndex}`;
}

const numberPattern = /^\d{1,9}$/;

interface StatusFilter {
  /** A status's name or its number. */
  readonly value: string;
  readonly comparison: Comparison;
}

/** A status, by its name or its number. */
export function statusIs(value: string): PassCondition {
  return numberPattern.test(value)
    ? { field: 'status', comparison: 'eq', value: Number(value) }
    : { field: 'statusCode', comparison: 'eq', value };
}

/**
 * A status filter as a condition. Names have no order: a comparison is one of numbers, and refused with 400 where a
 * name's number is not known.
 */
export function statusCondition(filter: StatusFilter, wording: Wording): PassCondition {
  const { value, comparison } = filter;
  const named = statusIs(value);
  if (comparison === 'eq') return named;
  if (named.field === 'status') return { ...named, comparison };
  if (value === activeStatus.statusCode) return { field: 'status', comparison, value: activeStatus.status };
  return refuse(400, wording.invalid('statusCode', `no number is known for status ${value}`));
}
