import type { z } from 'zod';
import { prettifyError } from 'zod';
import {
  callsSchema,
  type Row,
  scenesSchema,
  type Specification,
  type Step,
  type Table,
  type TableRow,
  tablesSchema,
} from './specification.js';
import { DataError, readYaml, specificationPath } from './specification-file.js';

const tableFiles = [
  '2-resources.yaml',
  '4-passes.yaml',
  '4-listing.yaml',
  '4-rewards-and-transactions.yaml',
  '4-administration.yaml',
  '5-authentication.yaml',
  '7-errors-and-8-limits.yaml',
];

/** Data that fits its schema. @throws DataError */
export function fitting<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(readYaml(path));
  if (!parsed.success) throw new DataError(`${path}: ${prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The specification as transcribed. @throws DataError */
export function loadSpecification(): Specification {
  return {
    calls: fitting(specificationPath('calls.yaml'), callsSchema),
    scenes: fitting(specificationPath('scenes.yaml'), scenesSchema),
    rows: tableFiles.flatMap(rowsOf),
  };
}

function rowsOf(file: string): Row[] {
  const { section, tables } = fitting(specificationPath(file), tablesSchema);
  return tables.flatMap((table) => table.rows.map((row) => joined(table.section ?? section, table, row)));
}

function joined(section: string, table: Table, row: TableRow): Row {
  return {
    id: `${section} / ${table.table} / ${row.key}`,
    section,
    table: table.table,
    key: row.key,
    words: row.words,
    after: [...new Set([...table.after, ...row.after])],
    steps: row.steps ?? withBody(table.steps, row.body ?? {}),
    gateway: row.gateway,
  };
}

/** What a row expects of the body belongs to the last step of its table. */
function withBody(steps: readonly Step[], body: Step['expect']['body']): Step[] {
  return steps.map((step, index) =>
    index === steps.length - 1 ? { ...step, expect: { ...step.expect, body: { ...step.expect.body, ...body } } } : step,
  );
}
