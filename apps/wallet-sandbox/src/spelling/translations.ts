import type { CallOperation } from '../http/operation.js';
import { ContentSpelling } from './content-spelling.js';
import { mapProperty, Renaming } from './renaming.js';
import type { SpellingChoice } from './spelling-schema.js';
import { StatusSpelling } from './status-spelling.js';
import { ValueRenaming } from './value-renaming.js';

type Translate = (value: unknown) => unknown;
export type Translations = Partial<Record<CallOperation, Translate>>;

const wholeNumber = /^\d{1,10}$/;

/** Queries, from the names outside to those in here. */
export function queryTranslations(choice: SpellingChoice): Translations {
  const list = new Renaming(choice.list);
  const reward = new Renaming(choice.reward);
  const transaction = new Renaming(choice.transaction);
  const status = new StatusSpelling(choice);
  const flag = new ValueRenaming([['true', choice.countOnlyTrue]]);
  return {
    list: (query) => {
      const filtered = mapProperty(list.read(query), 'statusCode', (value) => status.readFilter(value));
      const counted = mapProperty(filtered, 'countOnly', (value) => flag.read(value));
      return mapProperty(counted, 'pageNumber', (page) => readPage(page, choice.firstPage));
    },
    reward: (query) => reward.read(query),
    transaction: (query) => transaction.read(query),
  };
}

/** Bodies, from the names outside to those in here. */
export function bodyTranslations(choice: SpellingChoice): Translations {
  const content = new ContentSpelling(choice);
  const schedule = new Renaming(choice.schedule);
  const brandAttribute = new Renaming(choice.brandAttribute);
  const transactionAttribute = new Renaming(choice.transactionAttribute);
  const readContent: Translate = (body) => content.read(body);
  const readBrandAttribute: Translate = (body) => brandAttribute.read(body);
  const readFilters = filtersReader(choice);
  const dataTypes = new ValueRenaming(Object.entries(choice.dataTypes));
  return {
    issue: readContent,
    'issue-via-workflow': readContent,
    'update-via-workflow': readContent,
    'schedule-update': (body) =>
      mapProperty(mapProperty(schedule.read(body), 'update', readContent), 'filters', readFilters),
    'create-brand-attribute': readBrandAttribute,
    'update-brand-attribute': readBrandAttribute,
    'create-transaction-attribute': (body) =>
      mapProperty(transactionAttribute.read(body), 'dataType', (value) => dataTypes.read(value)),
  };
}

/** Answers, from the names in here to those outside. */
export function answerTranslations(choice: SpellingChoice): Translations {
  const status = new StatusSpelling(choice);
  const brandAttribute = new Renaming(choice.brandAttribute);
  const transactionAttribute = new Renaming(choice.transactionAttribute);
  const dataTypes = new ValueRenaming(Object.entries(choice.dataTypes));
  const writePass: Translate = (pass) => status.writePass(pass);
  const writePasses: Translate = (passes) => (Array.isArray(passes) ? passes.map(writePass) : passes);
  const writeBrandAttribute: Translate = (attribute) => brandAttribute.write(attribute);
  return {
    lookup: (answer) =>
      Array.isArray(answer) ? writePasses(answer) : mapProperty(writePass(answer), 'data', writePasses),
    list: (answer) =>
      mapProperty(
        mapProperty(answer, 'data', writePasses),
        'pageNumber',
        (page) => Number(page) - 1 + choice.firstPage,
      ),
    issue: writePass,
    'issue-via-workflow': writePass,
    'update-via-workflow': writePass,
    reward: writePass,
    'create-brand-attribute': writeBrandAttribute,
    'update-brand-attribute': writeBrandAttribute,
    'create-transaction-attribute': (answer) =>
      transactionAttribute.write(mapProperty(answer, 'dataType', (value) => dataTypes.write(value))),
  };
}

function filtersReader(choice: SpellingChoice): Translate {
  const names = new Renaming(choice.scheduleFilters);
  const status = new StatusSpelling(choice);
  return (filters) => mapProperty(names.read(filters), 'statusCode', (value) => status.readFilter(value));
}

/** Page numbers begin with 1 in here; what is no number is left to the schema. */
function readPage(page: unknown, firstPage: number): unknown {
  return typeof page === 'string' && wholeNumber.test(page) ? String(Number(page) - firstPage + 1) : page;
}
