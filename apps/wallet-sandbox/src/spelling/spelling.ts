import type { CallOperation } from '../http/operation.js';
import { InvalidRequest, refuseName } from '../http/refusal.js';
import { isJsonObject, type JsonObject, mapProperty, Renaming, ValueRenaming } from './renaming.js';
import { places, type SpellingChoice, spellingSchema } from './spelling-schema.js';
import { readScheduleTime, readTransactionDate } from './time-spelling.js';

const nothing: Translations = {};
const plain = JSON.stringify(spellingSchema.parse({}));

/**
 * What partner-api.md does not show, as this sandbox's seed spells it: translated at the door, so that handlers and
 * schemas know one spelling. Costs nothing where the seed chooses nothing.
 */
export class Spelling {
  private readonly queries: Translations;
  private readonly bodies: Translations;
  private readonly answers: Translations;

  constructor(readonly choice: SpellingChoice) {
    const isPlain = JSON.stringify(choice) === plain;
    this.queries = isPlain ? nothing : queryTranslations(choice);
    this.bodies = isPlain ? nothing : bodyTranslations(choice);
    this.answers = isPlain ? nothing : answerTranslations(choice);
  }

  /** A query by the names in here. Throws Refusal (400) for a name that is spelled otherwise. */
  readQuery(operation: CallOperation, query: unknown): unknown {
    return this.queries[operation]?.(query) ?? query;
  }

  /** A body by the names in here. Throws Refusal (400) for a name that is spelled otherwise. */
  readBody(operation: CallOperation, body: unknown): unknown {
    return this.bodies[operation]?.(body) ?? body;
  }

  /** An answer by the names outside. */
  writeAnswer(operation: CallOperation, answer: unknown): unknown {
    return this.answers[operation]?.(answer) ?? answer;
  }

  /** A refusal, where its shape is not shown, by the shape outside. */
  writeRefusal(operation: CallOperation, { status, body }: SpokenRefusal): SpokenRefusal {
    if (documentedErrors.has(operation)) return { status, body };
    const { errorMessage, errorStatus } = this.choice;
    const { message, ...others } = body;
    const shaped = errorMessage === 'message' ? body : { ...others, ...placeAt(errorMessage, message) };
    return { status: status === 400 ? errorStatus : status, body: shaped };
  }

  successStatus(operation: CallOperation): number {
    return operation === 'issue' ? this.choice.createdStatus : 200;
  }

  /** What a lookup is answered with that several passes fit, the newest first. */
  several<Pass>(passes: readonly [Pass, ...Pass[]]): Pass | readonly Pass[] | { readonly data: readonly Pass[] } {
    if (passes.length === 1 || this.choice.severalMatches === 'newest') return passes[0];
    return this.choice.severalMatches === 'array' ? passes : { data: passes };
  }
}

interface SpokenRefusal {
  readonly status: number;
  readonly body: JsonObject;
}

/** `{message}` with 400 is shown of these (partner-api.md 4.1 to 4.3), or nothing is said but the status (section 5). */
const documentedErrors: ReadonlySet<CallOperation> = new Set<CallOperation>([
  'token',
  'lookup',
  'issue',
  'issue-via-workflow',
  'update-via-workflow',
]);

/** `errors.0.detail` as `{ errors: [{ detail }] }`. */
function placeAt(path: string, value: unknown): JsonObject {
  const place = (inner: unknown, step: string): unknown => (/^\d+$/.test(step) ? [inner] : { [step]: inner });
  return path.split('.').reduceRight(place, value) as JsonObject;
}

type Translate = (value: unknown) => unknown;
type Translations = Partial<Record<CallOperation, Translate>>;

const wholeNumber = /^\d{1,10}$/;

/** Queries, from the names outside to those in here. */
function queryTranslations(choice: SpellingChoice): Translations {
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
    reward: (query) => requireName(reward.read(query), choice.rewardBy),
    transaction: (query) => requireName(transaction.read(query), choice.transactionBy),
  };
}

/** Refuses a query that names the pass in another way than was chosen. */
function requireName(query: unknown, name: SpellingChoice['rewardBy']): unknown {
  if (name === 'any' || (isJsonObject(query) && Object.hasOwn(query, name))) return query;
  throw new InvalidRequest([{ path: [name], message: 'is required' }]);
}

/** Bodies, from the names outside to those in here. */
function bodyTranslations(choice: SpellingChoice): Translations {
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
    'schedule-update': (body) => {
      const placed = choice.scheduleChange === 'property' ? body : gatherChange(body, schedule);
      const timed = readScheduleTime(schedule.read(placed), choice);
      return mapProperty(mapProperty(timed, 'update', readContent), 'filters', readFilters);
    },
    transaction: (body) => readTransactionDate(body, choice.transactionDate),
    'create-brand-attribute': readBrandAttribute,
    'update-brand-attribute': readBrandAttribute,
    'create-transaction-attribute': (body) =>
      mapProperty(transactionAttribute.read(body), 'dataType', (value) => dataTypes.read(value)),
  };
}

/** Answers, from the names in here to those outside. */
function answerTranslations(choice: SpellingChoice): Translations {
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

/** A change whose properties lie beside scheduledName, with them in `update`. */
function gatherChange(body: unknown, names: Renaming): unknown {
  if (!isJsonObject(body)) return body;
  const own = new Set([...places.schedule.documented, names.spell('scheduledDateTime'), names.spell('timeZone')]);
  const [kept, change] = [true, false].map((isOwn) => Object.entries(body).filter(([name]) => own.has(name) === isOwn));
  const update =
    (change ?? []).length === 0 ? [] : [[names.spell('update'), Object.fromEntries(change ?? [])] as const];
  return Object.fromEntries([...(kept ?? []), ...update]);
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

const documentedPerson = new Set(['firstName', 'lastName', 'email', 'phone']);

/** The body of 4.2 and 4.3, which is the change of 4.4 as well. */
class ContentSpelling {
  private readonly names: Renaming;
  private readonly smsValues: ValueRenaming<number>;
  private readonly personAttributes: string | null;

  constructor({ issue, smsValues, personAttributes }: SpellingChoice) {
    this.names = new Renaming(issue);
    this.smsValues = new ValueRenaming(Object.entries(smsValues).map(([value, spelled]) => [Number(value), spelled]));
    this.personAttributes = personAttributes;
  }

  get isEmpty(): boolean {
    return this.names.isEmpty && this.smsValues.isEmpty && this.personAttributes === null;
  }

  read(body: unknown): unknown {
    const renamed = this.names.read(body);
    const withSms = mapProperty(renamed, 'smsSubscription', (value) => this.smsValues.read(value));
    const property = this.personAttributes;
    return property === null ? withSms : mapProperty(withSms, 'person', (person) => unpack(person, property));
  }

  spell(name: string): string {
    return this.names.spell(name);
  }
}

/** A person whose child attributes lie in a property of their own, with them beside the documented ones. */
function unpack(person: unknown, property: string): unknown {
  if (!isJsonObject(person)) return person;
  const { [property]: attributes = {}, ...documented } = person;
  refuseOthers(documented, (name) => documentedPerson.has(name));
  if (!isJsonObject(attributes)) {
    throw new InvalidRequest([{ path: ['person', property], message: 'must be an object' }]);
  }
  refuseOthers(attributes, (name) => !documentedPerson.has(name));
  return { ...documented, ...attributes };
}

function refuseOthers(value: JsonObject, isAllowed: (name: string) => boolean): void {
  const other = Object.keys(value).find((name) => !isAllowed(name));
  if (other !== undefined) refuseName(other);
}

/** Names and numbers of a pass's status. */
class StatusSpelling {
  private readonly names: ValueRenaming<string>;
  private readonly numbers: ValueRenaming<number>;

  constructor({ statusNames, statusNumbers }: SpellingChoice) {
    this.names = new ValueRenaming(Object.entries(statusNames));
    this.numbers = new ValueRenaming(
      Object.entries(statusNumbers).map(([number, spelled]) => [Number(number), spelled]),
    );
  }

  get isEmpty(): boolean {
    return this.names.isEmpty && this.numbers.isEmpty;
  }

  /** A filter by name or by number; in a query the number is text. */
  readFilter(value: unknown): unknown {
    if (typeof value === 'number') return this.numbers.read(value);
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return String(this.numbers.read(Number(value)));
    return this.names.read(value);
  }

  writePass(pass: unknown): unknown {
    const named = mapProperty(pass, 'statusCode', (name) => this.names.write(name));
    return mapProperty(named, 'status', (number) => this.numbers.write(number));
  }
}
