import type { WalletPass } from '#contracts';

import type { Operation } from '../operation.js';
import { needsPass } from '../operation.js';
import type { JsonValue, PartnerCommand, PassContent } from '../owed/partner-command.js';
import { PASS_FIELDS } from '../owed/partner-command.js';

/** How a pass stands to the content that an update wants. */
export type PassComparison =
  /** Every path to be changed can be read and differs from what is wanted. */
  | 'differs'
  /** Every path can be read and is as wanted. */
  | 'as-wanted'
  /** Some paths cannot be read on a pass, or only some of them are as wanted: nothing can be concluded. */
  | 'inconclusive';

/** Compares what an update changes with what the partner shows (partner-api.md section 2). Pure. */
export function comparePass(content: PassContent, pass: WalletPass): PassComparison {
  const wanted = pathsOf(content, pass);
  if (wanted === null || wanted.length === 0) return 'inconclusive';
  const fits = wanted.map(({ want, has }) => isSame(want, has));
  if (fits.every((fit) => fit)) return 'as-wanted';
  return fits.some((fit) => fit) ? 'inconclusive' : 'differs';
}

interface PathPair {
  readonly path: string;
  readonly want: JsonValue;
  readonly has: unknown;
}

/** Person, SMS subscription and IP address are not shown on a pass. */
function changesHidden({ person, smsSubscription, ipAddress }: PassContent): boolean {
  return smsSubscription !== undefined || ipAddress !== undefined || Object.keys(person ?? {}).length > 0;
}

/** Null when a path is changed that a pass does not show. */
function pathsOf(content: PassContent, pass: WalletPass): PathPair[] | null {
  if (changesHidden(content)) return null;
  const { passdata, ...own } = content;
  const { metaData, ...fields } = passdata ?? {};
  const shown = (pass.passdata ?? {}) as Readonly<Record<string, unknown>>;
  const shownMetaData = (shown['metaData'] ?? {}) as Readonly<Record<string, unknown>>;
  return [
    ...pairs('passdata.', fields, shown),
    ...pairs('metaData.', metaData ?? {}, shownMetaData),
    ...pairs(
      '',
      { tierId: own.tierId, message: own.message, groupId: own.groupId, templateId: own.templateId },
      {
        tierId: pass.templateTierId,
        message: pass.currentMessage,
        groupId: pass.groupId,
        templateId: pass.templateId,
      },
    ),
  ];
}

function pairs(
  prefix: string,
  wanted: Readonly<Record<string, JsonValue | undefined>>,
  shown: Readonly<Record<string, unknown>>,
): PathPair[] {
  return Object.entries(wanted).flatMap(([key, want]) =>
    want === undefined ? [] : [{ path: `${prefix}${key}`, want, has: shown[key] }],
  );
}

/** How a pass that was there stands to what an enrolment says. */
export type FoundPass =
  /** It shows all of it: the enrolment has made it, or has nothing to tell it. */
  | 'as-told'
  /** It shows something else: it was there before. */
  | 'other'
  /** It shows nothing else, but not all of it either: consent, for instance, stands on no pass. */
  | 'unclear';

/**
 * Tells a pass that an enrolment has made from one that was there before. The person is left out: it stands on no pass,
 * and is said by nearly every enrolment. Pure.
 */
export function compareFound(content: PassContent, pass: WalletPass): FoundPass {
  const { person: _person, ipAddress: _address, smsSubscription, ...said } = content;
  const wanted = pathsOf(said, pass) ?? [];
  if (wanted.some(({ path, want, has }) => !isAsExpected(path, want, has) && !isSame(want, has))) return 'other';
  const isShown = wanted.length > 0 && wanted.every(({ has }) => has !== undefined);
  return isShown && smsSubscription === undefined ? 'as-told' : 'unclear';
}

/** Cleared means absent or null. Objects are compared as JSON: the partner may order keys as it likes. */
function isSame(want: JsonValue, has: unknown): boolean {
  if (want === null) return has === null || has === undefined;
  if (typeof want !== 'object') return want === has || isSameNumber(want, has);
  if (typeof has !== 'object' || has === null) return false;
  const left = Object.entries(want);
  const right = has as Readonly<Record<string, unknown>>;
  return left.length === Object.keys(right).length && left.every(([key, value]) => isSame(value, right[key]));
}

/** The partner may write a date in its own way: the same day at midnight is the same. */
const datePaths: readonly string[] = ['passdata.expiryDate'];

/**
 * Where a pass shows something else than it must. What it does not show at all is not compared: that the partner shows
 * every field is nowhere said (partner-api.md section 2). Pure.
 */
export function differingPaths(expected: ExpectedPass, pass: WalletPass): string[] {
  return [...expected].flatMap(([path, want]) => (isAsExpected(path, want, shownAt(pass, path)) ? [] : [path]));
}

/** One value of a pass. `partner` is undefined, and `isSame` null, where the partner does not show it. */
export interface ComparedValue {
  readonly path: string;
  readonly ours: JsonValue;
  readonly partner: unknown;
  readonly isSame: boolean | null;
}

/** Every value that the pass must show, beside what it shows. Pure. */
export function compareValues(expected: ExpectedPass, pass: WalletPass): ComparedValue[] {
  return [...expected].map(([path, ours]) => {
    const partner = shownAt(pass, path);
    return { path, ours, partner, isSame: partner === undefined ? null : isAsExpected(path, ours, partner) };
  });
}

/** What a command wants the pass to show; nothing for one that changes no content. Pure. */
export function wantedPass(command: PartnerCommand | null): ExpectedPass {
  return command !== null && 'content' in command ? valuesOf(command.content) : new Map();
}

function shownAt(pass: WalletPass, path: string): unknown {
  const [root = '', field] = path.split('.');
  const value = (pass as Readonly<Record<string, unknown>>)[root];
  if (field === undefined) return value;
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[field] : undefined;
}

function isAsExpected(path: string, want: JsonValue, has: unknown): boolean {
  if (has === undefined || want === has) return true;
  if (want === null || has === null) return false;
  if (datePaths.includes(path)) return isSameDate(want, has);
  return isSameNumber(want, has);
}

/** A number and its text: an attribute of type number was said as text, and an id beyond what a float holds comes as text. */
function isSameNumber(want: JsonValue, has: unknown): boolean {
  if (typeof want === 'number' && typeof has === 'string') return String(want) === has;
  return typeof want === 'string' && typeof has === 'number' && want === String(has);
}

function isSameDate(want: JsonValue, has: unknown): boolean {
  if (typeof want !== 'string' || typeof has !== 'string') return false;
  const [wanted, shown] = [Date.parse(want), Date.parse(has)];
  return !Number.isNaN(wanted) && wanted === shown;
}

/** Something that was owed to the partner, as far as it says what the pass must show. */
export interface SentContent {
  readonly operation: Operation;
  /** Whether it took effect, as far as we know. */
  readonly certainty: 'sent' | 'unsure' | 'not-sent';
  /** Null where it cannot be read, or says nothing of the pass. */
  readonly command: PartnerCommand | null;
}

/** What a pass must show by what was sent last: values by path. What nobody knows is not in it. */
export type ExpectedPass = ReadonlyMap<string, JsonValue>;

const pointsPath = 'passdata.points';

/** Beside these a pass shows what changes by itself (the message), what is the shop's own, and a person's image. */
const comparedFields = PASS_FIELDS.filter((field) => field !== 'profileImage');

/**
 * What the pass must show. An enrolment says it anew, an update changes what it names; what may or may not have taken
 * effect takes away what was known, and so does a sale or a reward from the points. Pure.
 * @param sent in the order in which it took effect
 */
export function expectedPass(sent: readonly SentContent[]): ExpectedPass {
  return sent.reduce<ExpectedPass>(afterContent, new Map());
}

function afterContent(expected: ExpectedPass, content: SentContent): ExpectedPass {
  const { operation, certainty } = content;
  if (certainty === 'not-sent') return expected;
  if (needsPass(operation)) return without(expected, [pointsPath]);
  return afterPassContent(expected, content);
}

function afterPassContent(expected: ExpectedPass, { operation, certainty, command }: SentContent): ExpectedPass {
  const values = command !== null && 'content' in command ? valuesOf(command.content) : null;
  // Something of the pass was changed, and nobody can say what.
  if (values === null) return new Map();
  // A schedule is accepted long before it changes anything.
  const isKnown = certainty === 'sent' && operation !== 'schedule-update';
  if (!isKnown) return without(expected, [...values.keys()]);
  const isNew = operation === 'issue' || operation === 'issue-via-workflow';
  return new Map([...(isNew ? [] : expected), ...values]);
}

function without(expected: ExpectedPass, paths: readonly string[]): ExpectedPass {
  return new Map([...expected].filter(([path]) => !paths.includes(path)));
}

function valuesOf({ tierId, groupId, templateId, passdata = {} }: PassContent): ExpectedPass {
  const own = { templateTierId: tierId, groupId, templateId };
  const shown = comparedFields.map((field) => [`passdata.${field}`, passdata[field]] as const);
  const known = [...Object.entries(own), ...shown];
  return new Map(known.flatMap(([path, value]) => (value === undefined ? [] : [[path, value] as const])));
}
