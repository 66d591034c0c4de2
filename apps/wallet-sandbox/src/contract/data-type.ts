import { z } from 'zod';

/** Data types of brand attributes (partner-api.md section 2), taken to be those of transaction attributes, too. */
export const dataTypeSchema = z.enum(['string', 'number', 'boolean', 'date']);

export type DataType = z.output<typeof dataTypeSchema>;

const dateSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** True when a JSON value is of the data type; a date is ISO 8601 text, with or without a time. */
export function isOfType(dataType: DataType, value: unknown): boolean {
  switch (dataType) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === dataType;
    case 'date':
      return dateSchema.safeParse(value).success;
    default:
      return dataType satisfies never;
  }
}
