import type { MemberCardLinks, ProgramsFile } from '#contracts';
import { INTENT_OPERATIONS, parseRfc3339 } from '#contracts';
import { eventTypeOf, isSourceEventName, SOURCE_EVENT_SCHEMAS } from '#events';
import type { Shown, ShownAs } from '#events/core';
import { stripTypePrefix } from '#events/core';

import type { Shape } from './mask-personal.js';
import { fitting, isMask, mask, maskedText, maskOf, nestedJson, shownName } from './mask-personal.js';

/**
 * What may be shown of each kind of document (contracts.md section 7). It lists what is harmless, path by path: a field that
 * is not listed here is personal. Free text never does.
 */

type Members = Readonly<Record<string, Shape>>;

const object = (members: Members): Shape => ({ members });
const text = (pattern: RegExp): Shape => fitting((value) => typeof value === 'string' && pattern.test(value));
const oneOf = (...values: readonly unknown[]): Shape => fitting((value) => values.includes(value));

/** Names of its members, none of their values. */
const namesOnly = object({});
const flag = fitting((value) => typeof value === 'boolean');
const number = fitting((value) => typeof value === 'number');
const integer = fitting(Number.isSafeInteger);
/** An id of ours or the shop's. With blanks it may be a sentence, with @ an address, and with + a telephone's number. */
const idPattern = /^(?!\+\d)[^\s@\p{Cc}]{1,256}$/u;
const id = text(idPattern);
/** Whether an id may be shown to whoever may see no personal data. */
export const isShownId = (value: string): boolean => idPattern.test(value);
/** A shop's own number for a thing, also as a number, which is refused and then looked at: a longer one may be a telephone's. */
const shopId = fitting((value) => (typeof value === 'string' ? idPattern : /^\d{1,6}$/).test(String(value)));
/** `pos`, `app.ios`, `FREE_COFFEE`: one word as systems write them, and people no names. */
const word = /^(?:[a-z][\w.-]*|[A-Z][A-Z\d_-]*)$/;
const isWord = (value: unknown, charsMax: number): boolean =>
  typeof value === 'string' && value.length <= charsMax && word.test(value);
/** How something was sold. */
const channel = fitting((value) => isWord(value, 32));
/** What the shop calls a program, a tier or a reward: also an unknown one, which is refused and then looked at. */
const nameOf = (known: ReadonlySet<string>): Shape =>
  fitting((value) => {
    const name = String(value);
    return known.has(name) || known.has(name.toLowerCase()) || isWord(value, 64) || /^\d{1,6}$/.test(name);
  });
const uri = text(/^[^\s@\p{Cc}]{1,1024}$/u);
/** The partner's ids are numbers; one beyond 2^53 comes as its text. */
const partnerId = fitting((value) => /^\d{1,100}$/.test(String(value)));
/** Beyond 2^53 a number comes as its text; a shorter one may be a telephone's. */
const longNumber = /^-?(?=(?:\D*\d){16})\d{1,100}(?:\.\d{1,100})?$/;
const exactNumber = fitting((value) => typeof value === 'number' || longNumber.test(String(value)));
const decimal = text(/^-?\d{1,18}(?:\.\d{1,18})?$/);
const rfc3339 = fitting((value) => typeof value === 'string' && parseRfc3339(value) !== null);
/** A day or a time in any of the forms of ISO 8601 that are sent (partner-dialect.md). */
const moment = text(/^\d{4}-?\d\d-?\d\d(?:[T ]\d\d:?\d\d:?\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?$/);
/** `ACTIVE` */
const code = text(/^[A-Z][A-Z0-9_]{0,31}$/);
const link = text(/^https?:\/\/[^\s@]{1,2000}$/);
const mediaType = text(/^[a-z]+\/[a-z0-9.+-]{1,60}(?:; ?charset=[\w-]{1,20})?$/i);

/** What is in use: these names are shown whatever they look like, where a record names a program, a tier or a reward. */
export interface KnownNames {
  readonly programs: ReadonlySet<string>;
  readonly tiers: ReadonlySet<string>;
  readonly rewards: ReadonlySet<string>;
}

/** The names of the programs file. */
export function knownNames({ programs }: ProgramsFile): KnownNames {
  const each = Object.values(programs);
  return {
    programs: new Set(Object.keys(programs)),
    tiers: new Set(each.flatMap(({ tiers }) => Object.keys(tiers))),
    rewards: new Set(each.flatMap(({ rewards }) => Object.keys(rewards))),
  };
}

const money = object({ minor: integer, currency: text(/^(?:[A-Z]{1,4}|[a-z]{1,4}|\p{Sc})$/u), digits: integer });
const passData = { optOut: flag, points: number, expiryDate: moment, status: code };

/** What is shown of each kind of value that an event type says it has. */
function shapesOf({ programs, tiers, rewards }: KnownNames): Readonly<Record<ShownAs, Shape>> {
  return {
    id,
    'shop-id': shopId,
    channel,
    flag,
    number,
    time: rfc3339,
    money,
    names: namesOnly,
    pass: object(passData),
    program: nameOf(programs),
    tier: nameOf(tiers),
    reward: nameOf(rewards),
  };
}

function shapeOf(shown: Shown, shapes: Readonly<Record<ShownAs, Shape>>): Shape {
  if (typeof shown === 'string') return shapes[shown];
  if ('oneOf' in shown) return oneOf(...shown.oneOf);
  if ('items' in shown) return { items: shapeOf(shown.items, shapes) };
  const members = Object.entries(shown.members).map(([name, member]) => [name, shapeOf(member, shapes)]);
  return object(Object.fromEntries(members) as Members);
}

const version = /\.v\d{1,4}$/;
const typeNames = new Set(Object.keys(SOURCE_EVENT_SCHEMAS).map((name) => name.replace(version, '')));

/** A type of ours, of any version and with any prefix. */
function isOurType(value: unknown): boolean {
  const name = typeof value === 'string' ? stripTypePrefix(value) : null;
  return name !== null && version.test(name) && typeNames.has(name.replace(version, ''));
}

/** Not `subject`: it may be a path that holds anything. */
const envelope = {
  specversion: text(/^\d\.\d$/),
  id,
  source: uri,
  // Also an unknown one, as long as it is no other text: it shows what a shop has sent.
  type: fitting((value) => isOurType(value) || isWord(value, 128)),
  time: rfc3339,
  datacontenttype: mediaType,
  sequence: fitting((value) => Number.isSafeInteger(value) || /^\d{1,40}$/.test(String(value))),
};

const recordHeaders = object({
  'content-type': mediaType,
  ...Object.fromEntries(Object.entries(envelope).map(([name, shape]) => [`ce_${name}`, shape])),
});

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function property(value: unknown, name: string): unknown {
  return isNested(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function dataShape(type: unknown, names: KnownNames): Shape | undefined {
  const name = typeof type === 'string' ? stripTypePrefix(type) : null;
  if (name === null || !isSourceEventName(name)) return undefined;
  const members = { program: 'program', memberId: 'id', ...eventTypeOf(name).shown } as const;
  return shapeOf({ members }, shapesOf(names));
}

/** A source record: its headers as JSON text, its value as text. */
interface RecordText {
  readonly headers: string;
  readonly value: string | null;
}

interface MaskedRecord extends RecordText {
  /** The member that the record names, where that is shown. */
  readonly memberId: string | null;
}

/**
 * A source record as it may be shown, in structured or binary mode. What is no event of ours shows its envelope at most,
 * and a value that is no JSON object nothing.
 */
export function maskRecord({ headers, value }: RecordText, names: KnownNames): MaskedRecord {
  const event = value === null ? null : nestedJson(value);
  const type = property(nestedJson(headers), 'ce_type');
  const isBinary = type !== undefined;
  const shown = mask(event, isBinary ? dataShape(type, names) : structuredShape(event, names)) ?? null;
  const memberId = property(isBinary ? shown : property(shown, 'data'), 'memberId');
  const shownValue = isNested(shown) ? JSON.stringify(shown) : maskedText;
  return {
    headers: mask(headers, { json: recordHeaders }) as string,
    value: value === null ? null : shownValue,
    memberId: typeof memberId === 'string' && !isMask(memberId) ? memberId : null,
  };
}

/** What says neither a type of ours nor a version of CloudEvents is no event, and none of its fields is known. */
function structuredShape(event: unknown, names: KnownNames): Shape | undefined {
  const specversion = mask(property(event, 'specversion'), envelope.specversion);
  const isSaid = typeof specversion === 'string' && !isMask(specversion);
  if (!isSaid && !isOurType(property(event, 'type'))) return undefined;
  const data = dataShape(property(event, 'type'), names);
  return object({ ...envelope, ...(data === undefined ? {} : { data }) });
}

/** `PartnerCommand`. What else names the pass (`by`, `passId`, `serialNumber`) is the person's. */
export const commandShape = object({
  operation: oneOf(...INTENT_OPERATIONS),
  ...{ brandId: id, programId: id, uniqueId: id, uniqueIdKey: id },
  ...{ workflowId: id, transactionTypeId: id, rewardId: id },
  ...{ amount: decimal, transactionDate: moment, attributes: namesOnly, pointsDelta: number, validUntil: moment },
  offset: text(/^[+-]\d\d:\d\d$/),
  uniqueAttribute: object({ name: id, enforced: flag }),
  content: object({
    ...{ person: namesOnly, passdata: object(passData), tierId: integer, templateId: integer },
    smsSubscription: oneOf(200, 300, 900),
  }),
});

/** A command as it is shown and corrected: what of it goes with its amount is no word of anybody's. */
export function shownParts(command: unknown): unknown {
  if (!isNested(command)) return command;
  return Object.fromEntries(Object.entries(command).filter(([name]) => name !== 'ofTotal'));
}

/** Of a path and query below the base address the names of parameters, and no value but our own id of the member. */
function shownPath(path: string): string {
  const at = path.includes('?') ? path.indexOf('?') : path.length;
  const resource = /^(?:\/[\w.~:-]+)*$/.test(path.slice(0, at)) ? path.slice(0, at) : maskedText;
  const parameters = path
    .slice(at + 1)
    .split('&')
    .map(shownParameter);
  return at === path.length ? resource : `${resource}?${parameters.join('&')}`;
}

function shownParameter(parameter: string): string {
  const [name = '', value = ''] = parameter.split('=', 2);
  return name === 'unique_id' && isEncodedId(value) ? parameter : `${shownName(name)}=${maskedText}`;
}

function isEncodedId(value: string): boolean {
  try {
    return idPattern.test(decodeURIComponent(value));
  } catch {
    return false;
  }
}

/** What the partner is sent (partner-api.md, with the names of the default dialect): other names are not known. */
export const requestShape = object({
  method: oneOf('GET', 'POST', 'PATCH', ''),
  path: { scalar: (path) => (typeof path === 'string' ? shownPath(path) : maskOf(path)) },
  body: {
    json: object({
      ...{ person: namesOnly, passdata: object(passData), templateTierId: integer, templateId: integer },
      smsSubscription: oneOf(200, 300, 900),
      ...{ amount: exactNumber, transactionDate: moment, attributes: namesOnly },
      ...{ scheduledTimestamp: integer, filters: object({ unique_id: id }) },
    }),
  },
});

/** A name that is no address: who has the address of a card has the card. */
const nameText = text(/^(?!\+\d)(?!.*(?:\/\/|\?))[^\s@\p{Cc}]{1,256}$/u);

/** WalletPass of partner-api.md section 2, without its download links: `cardLinks`. */
const answeredPass = {
  ...{ passId: partnerId, serialNumber: nameText, templateId: partnerId, templateTierId: partnerId },
  ...{ statusCode: code, status: integer, passdata: object({ ...passData, points: exactNumber }) },
};

const answer = {
  ...answeredPass,
  ...{ transactionId: partnerId, transactionTypeId: partnerId, amount: exactNumber, transactionDate: moment },
  ...{ data: { items: object(answeredPass) }, pageNumber: integer, pageSize: integer, totalCount: integer },
};

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const digits = /^\d{1,10}$/;
/** The partner's own number of a call, which its support asks for: one word of letters and digits. */
const requestId = text(/^(?!.*\/\/)(?=.*[A-Za-z])(?=.*\d)[\w.:=+/-]{8,128}$/);

const responseShape = object({
  ...{ status: integer, truncated: flag },
  headers: object({
    ...{ 'content-type': mediaType, 'content-length': text(digits), date: text(httpDate) },
    'retry-after': text(new RegExp(`${digits.source}|${httpDate.source}`)),
    ...{
      'x-request-id': requestId,
      'request-id': requestId,
      'x-correlation-id': requestId,
      'correlation-id': requestId,
    },
    ...{ 'x-amzn-requestid': requestId, 'x-ms-request-id': requestId, 'cf-ray': requestId },
    connection: oneOf('keep-alive', 'close'),
    'keep-alive': text(/^(?:timeout|max)=\d{1,6}(?:, ?(?:timeout|max)=\d{1,6})?$/),
  }),
  // A lookup may be answered with several passes.
  body: { json: { members: answer, items: object(answer) } },
});

const call = { request: requestShape, response: responseShape, durationMs: number };

/** What is kept with an event of an intent: a call, what a person changed, or what we say ourselves. */
export const evidenceShape = object({
  ...call,
  ...{ phase: oneOf('not-sent', 'sent', 'answered'), lookup: object(call), listed: integer, command: commandShape },
  recovery: object({ forgottenBefore: integer, recordedAt: integer, producedAt: integer }),
  ...{ listing: object({ job: id, page: integer }), reread: object({ job: id, version: integer }) },
  // Our own words: paths and rules, no values.
  detail: fitting((value) => typeof value === 'string'),
});

const shownPass = object(answeredPass);

/** A pass as those see it who look after its member: that it has download links, and not which. */
export function maskPass<Pass extends object>(pass: Pass): Pass {
  return mask(pass, shownPass) as Pass;
}

/** One value of a pass, by its path: `passdata.points`. */
export function maskPassValue(path: string, value: unknown): unknown {
  const shape = path.split('.').reduce<Shape | undefined>((outer, name) => outer?.members?.[name], shownPass);
  return mask(value, shape);
}

type CardLinks = Pick<MemberCardLinks, 'downloadUrl' | 'downloadUrlApple' | 'downloadUrlGoogle'>;

const shownLink = (value: string | null): string | null => mask(value, link) as string | null;

/** Where a card is downloaded: everybody who has such an address has the card. Null: no pass was shown. */
export function showCardLinks(pass: CardLinks | null): CardLinks {
  return {
    downloadUrl: shownLink(pass?.downloadUrl ?? null),
    downloadUrlApple: shownLink(pass?.downloadUrlApple ?? null),
    downloadUrlGoogle: shownLink(pass?.downloadUrlGoogle ?? null),
  };
}
