import { z } from 'zod';
import { distinctNames, name } from './entries.js';

export const brandAttributeSection = z.strictObject({
  names: distinctNames(
    {
      brandId: name('brandId', 'Brand id of a brand attribute, as answered.'),
      required: name('required', 'Whether a brand attribute is required (4.10, 4.11).'),
      encrypted: name('encrypted', 'Whether a brand attribute is encrypted.'),
      statusCode: name('statusCode', 'Status code of a brand attribute.'),
    },
    ['brandAttributeId', 'name', 'description', 'dataType', 'searchable', 'unique'],
  ).prefault({}),
});

const dataType = (type: string): ReturnType<typeof name> =>
  name(type, `How the data type \`${type}\` is written (4.9).`);

export const transactionAttributeSection = z.strictObject({
  names: distinctNames(
    {
      description: name('description', 'Description of a transaction attribute (4.9).'),
      uniqueKey: name('uniqueKey', 'Whether its values are unique.'),
      encrypted: name('encrypted', 'Whether a transaction attribute is encrypted.'),
      transactionTypeId: name('transactionTypeId', 'Transaction type of an attribute, as answered.'),
      brandId: name('brandId', 'Brand id of a transaction attribute, as answered.'),
      programId: name('programId', 'Program id of a transaction attribute, as answered.'),
      type: name('type', 'Type of a transaction attribute, as answered.'),
    },
    ['transactionAttributeId', 'name', 'dataType', 'required'],
  ).prefault({}),
  dataTypes: distinctNames(
    {
      string: dataType('string'),
      number: dataType('number'),
      boolean: dataType('boolean'),
      date: dataType('date'),
    },
    [],
  ).prefault({}),
});
