import {
  type Case,
  type DeclaredSource,
  type Json,
  type JsonObject,
  type ListEntry,
  type OperatorAct,
  type SourceRecord,
} from './case.js';
import { causeOf, outcomeKind, type Evidence } from './evidence.js';
import { at, isObject, objectOf, textOf } from './values.js';

/**
 * What a market's till means by its receipts, field by field. It is read as the till's maker tells it, never by the map that
 * the service runs: that map is what is judged.
 */
type As = 'text' | 'euros' | 'items' | 'any';
type Field = readonly [from: string, to: string, as: As, isNeeded?: 'needed'];

const sold: readonly Field[] = [
  ['sold.receipt', 'purchaseId', 'text', 'needed'],
  ['sold.shop', 'storeId', 'text'],
  ['sold.sum', 'total', 'euros', 'needed'],
  ['sold.items', 'lines', 'items'],
  ['sold.campaign', 'attributes.campaign', 'any'],
];

const returned: readonly Field[] = [
  ['returned.number', 'refundId', 'text', 'needed'],
  ['returned.ref', 'returnId', 'text'],
  ['returned.receipt', 'purchaseId', 'text', 'needed'],
  ['returned.shop', 'storeId', 'text'],
  ['returned.first.shop', 'original.storeId', 'text'],
  ['returned.first.receipt', 'original.purchaseId', 'text'],
  ['returned.sum', 'total', 'euros', 'needed'],
];

const undone: readonly Field[] = [
  ['undone.receipt', 'purchaseId', 'text', 'needed'],
  ['undone.shop', 'storeId', 'text'],
  ['undone.first.shop', 'original.storeId', 'text'],
  ['undone.first.receipt', 'original.purchaseId', 'text'],
  ['undone.undoes.number', 'original.refundId', 'text'],
  ['undone.undoes.shop', 'original.storeId', 'text'],
  ['undone.sum', 'total', 'euros', 'needed'],
];

const corrected: readonly Field[] = [
  ['corrected.receipt', 'purchaseId', 'text', 'needed'],
  ['corrected.shop', 'storeId', 'text'],
  ['corrected.number', 'correctionId', 'text', 'needed'],
  ['corrected.before', 'previousTotal', 'euros', 'needed'],
  ['corrected.sum', 'total', 'euros', 'needed'],
];

interface Part {
  readonly kind: string;
  /** Behind the receipt's own number, where it tells several things. */
  readonly mark: string;
  readonly fields: readonly Field[];
  readonly says?: JsonObject;
}

/** In the order in which they take effect. */
const kinds: { readonly [kind: string]: readonly Part[] } = {
  training: [],
  sale: [{ kind: 'purchase.completed', mark: '', fields: sold, says: { channel: 'pos' } }],
  return: [{ kind: 'purchase.refunded', mark: '', fields: returned }],
  exchange: [
    { kind: 'purchase.refunded', mark: '/return', fields: returned },
    { kind: 'purchase.completed', mark: '/sale', fields: sold, says: { channel: 'pos' } },
  ],
  void: [{ kind: 'purchase.voided', mark: '', fields: undone }],
  correction: [{ kind: 'purchase.corrected', mark: '', fields: corrected }],
  gift: [
    {
      ...{ kind: 'reward.granted', mark: '', says: { reward: 'free-coffee' } },
      fields: [['given.grant', 'grantId', 'text', 'needed']],
    },
  ],
};

/** A sum that is no amount of euros and cents is none. */
function minorOf(sum: Json | undefined): number | undefined {
  const text = typeof sum === 'number' ? String(sum) : textOf(sum);
  const [, euros, cents = ''] = /^(\d+)(?:\.(\d{1,2}))?$/u.exec(text ?? '') ?? [];
  return euros === undefined ? undefined : Number(euros) * 100 + Number(cents.padEnd(2, '0'));
}

const money = (sum: Json | undefined): JsonObject | undefined => {
  const minor = minorOf(sum);
  return minor === undefined ? undefined : { minor, currency: 'EUR', digits: 2 };
};

const readers: { readonly [as in As]: (value: Json | undefined) => Json | undefined } = {
  text: textOf,
  euros: money,
  items: (value) =>
    Array.isArray(value)
      ? (value as readonly Json[]).map((item) => ({ sku: at(item, 'sku'), quantity: at(item, 'n') }))
      : undefined,
  any: (value) => value,
};

/** Undefined: something that it needs is missing, or is not what it should be. */
function dataOf(receipt: JsonObject, { fields, says }: Part): JsonObject | undefined {
  const data: { [name: string]: Json | undefined } = { program: receipt['club'], memberId: receipt['card'], ...says };
  for (const [from, to, as, isNeeded] of fields) {
    const value = readers[as](at(receipt, from));
    if (value === undefined && isNeeded) return undefined;
    const [name = '', inner] = to.split('.');
    if (value !== undefined) data[name] = inner === undefined ? value : { ...objectOf(data[name]), [inner]: value };
  }
  return data;
}

interface Meant {
  readonly kind: string;
  readonly value: JsonObject;
}

/** What a receipt tells; undefined: nobody can use it, not even a part of it. */
function meantBy(value: Json): readonly Meant[] | undefined {
  const receipt = parsed(value);
  if (!isObject(receipt)) return undefined;
  const [number, desk, printed] = [textOf(receipt['uuid']), receipt['desk'], receipt['printed']];
  const kind = textOf(receipt['kind']) ?? '';
  const parts = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (parts === undefined || number === undefined || typeof printed !== 'number') return undefined;
  const time = new Date(printed).toISOString();
  const meant = parts.flatMap((part) => {
    const data = dataOf(receipt, part);
    const frame = { specversion: '1.0', id: number + part.mark, source: desk, type: `loyalty.${part.kind}.v1`, time };
    return data === undefined ? [] : [{ kind: part.kind, value: { ...frame, data } }];
  });
  return meant.length === parts.length ? meant : undefined;
}

function parsed(value: Json): Json {
  try {
    return typeof value === 'string' ? (JSON.parse(value) as Json) : value;
  } catch {
    return null;
  }
}

/** Each thing that such a record tells, as a record of its own. */
interface Several {
  readonly place: string;
  readonly kind: string;
  readonly purchase: string | undefined;
}

const structured = { 'content-type': 'application/cloudevents+json' };
const topicOf = (place: string): string => place.slice(0, place.indexOf('/'));

function sourceOf({ place }: SourceRecord, given: Case): DeclaredSource | undefined {
  const sources = Object.values(given.programs.sources ?? {});
  return sources.find(({ topics }) => topics.includes(topicOf(place)));
}

function recordsOf(record: SourceRecord, source: DeclaredSource, several: Map<string, Several[]>): SourceRecord[] {
  const meant = meantBy(record.value);
  if (meant === undefined) return [{ ...record, headers: {}, source }];
  if (meant.length === 0) return [{ ...record, headers: {}, value: null, source }];
  const records = meant.map(({ kind, value }) => {
    const place = meant.length === 1 ? record.place : `${record.place}#${kind}`;
    return { kind, record: { ...record, place, headers: structured, value, source } };
  });
  if (meant.length > 1) {
    const parts = records.map(({ kind, record: { place, value } }) => {
      return { place, kind, purchase: textOf(at(value, 'data.purchaseId')) };
    });
    several.set(record.place, parts);
  }
  return records.map((each) => each.record);
}

/** A case in which each receipt is what it tells, and lists, people and outcomes mean each of these. */
export function asMeant(given: Case): Case {
  if (given.programs.sources === undefined) return given;
  const several = new Map<string, Several[]>();
  const records = given.records.flatMap((record) => {
    const source = sourceOf(record, given);
    return source === undefined ? [record] : recordsOf(record, source, several);
  });
  const placed = <About extends ListEntry | OperatorAct>(about: About): About[] => {
    const parts = several.get(about.place ?? '');
    if (parts === undefined) return [about];
    const meant = parts.filter(({ kind }) => about.type === undefined || about.type === `loyalty.${kind}.v1`);
    return meant.map(({ place }) => ({ ...about, place }));
  };
  const told = (outcome: JsonObject): JsonObject => {
    const parts = several.get(causeOf(outcome)) ?? [];
    const data = objectOf(outcome['data']);
    const part = parts.find(({ purchase }) => purchase === textOf(data['purchaseId']));
    if (part === undefined) return outcome;
    const offset = part.place.slice(part.place.lastIndexOf('/') + 1);
    return { ...outcome, data: { ...data, cause: { ...objectOf(data['cause']), offset } } };
  };
  return {
    ...given,
    records,
    lists: given.lists.flatMap(placed),
    operators: given.operators.flatMap(placed),
    ...(given.outcomes && { outcomes: given.outcomes.map(told) }),
  };
}

/** What one record tells is taken together, or the record is set aside as a whole. */
export function judgeWholes(given: Case, evidence: Evidence): void {
  const topics = new Set(Object.values(given.programs.sources ?? {}).flatMap((source) => source.topics));
  const setAside = new Set(
    given.lists.flatMap(({ list, dealtWith, place }) =>
      list === 'quarantined' && dealtWith !== 'resubmitted' && topics.has(topicOf(place)) ? [place] : [],
    ),
  );
  const taken = [
    ...given.lists.flatMap(({ list, place }) => (list === 'quarantined' ? [] : [place])),
    ...(given.outcomes ?? []).flatMap((outcome) =>
      outcomeKind(outcome).startsWith('intent.') ? causeOf(outcome) : [],
    ),
  ];
  for (const place of new Set(taken)) {
    if (setAside.has(place)) evidence.find('taken-in-part', null, 'it was set aside, and something of it taken', place);
  }
}

/** Whether what a source says is what it may say. */
export function mayBeSaid({ source }: SourceRecord, kind: string, program: string): boolean {
  if (source === undefined) return true;
  return source.types.includes(`loyalty.${kind}.v1`) && source.programs.includes(program);
}
