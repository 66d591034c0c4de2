import type { PartnerCommand, PassContent } from '../owed/partner-command.js';

/** What orders events that change a member's profile. */
export interface EventPosition {
  readonly sequence: string | null;
  /** Epoch ms: when it happened, at the latest when it was received. */
  readonly timeMs: number;
}

/** Where one source stands on one path. */
export interface ProfileMark extends EventPosition {
  /** Names a CloudEvents `source`; null: several, or one that is not known. */
  readonly source: string | null;
}

/** By path: the last that was taken, and the last of other sources that number theirs. */
export type ProfileMarks = ReadonlyMap<string, readonly ProfileMark[]>;

export const noMarks: ProfileMarks = new Map();

/** Under this name stands what is about every path: who left the program, and what is not remembered by path. */
export const wholeProfile = '*';
/** Under this name stands the last enrolment that was taken: enrolments are compared with each other as a whole. */
export const lastEnrolment = '@enrolment';

/** Under this name stands when the member enrolled once more: who has no pass by then gets one. */
export const enrolledAgain = '@again';

/** What an opt-out takes back. */
const consentPaths: readonly string[] = ['smsSubscription', 'passdata.optOut'];
/** Under this name stands when such a path was withdrawn last: a mark of the path itself does not tell that from a consent. */
const withdrawalOf = (path: string): string => `!${path}`;

/** Paths remembered for a member, besides these. Of more, the oldest are remembered together, as of every path. */
export const markedPathsMax = 64;
/** Sources remembered for a path. Of more, the oldest is forgotten: from then on it is compared by time. */
export const markedSourcesMax = 4;
/** Characters of a sequence that is remembered. A longer one is not: time decides. */
export const markedSequenceMax = 64;

const digits = /^\d+$/;

/** Sequences of digits compare as numbers of any length, others by code units (CloudEvents' sequence extension). */
function compareSequence(a: string, b: string): number {
  if (!digits.test(a) || !digits.test(b)) return compareText(a, b);
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return left.length === right.length ? compareText(left, right) : left.length - right.length;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * By `sequence` within one source where both have one, else by time. Of two that are equal neither is older: the one that
 * is recorded later counts.
 */
export function isOlder(a: ProfileMark, b: ProfileMark): boolean {
  const isOneSource = a.source !== null && a.source === b.source;
  if (isOneSource && a.sequence !== null && b.sequence !== null) return compareSequence(a.sequence, b.sequence) < 0;
  return a.timeMs < b.timeMs;
}

/** What an event would say about a path was overtaken already. */
export function isStale(marks: ProfileMarks, path: string, mark: ProfileMark): boolean {
  return [path, wholeProfile].some((name) => marks.get(name)?.some((known) => isOlder(mark, known)) ?? false);
}

/** The marks once an event has been taken: those of its paths that it is stale for stay. */
export function moveMarks(marks: ProfileMarks, paths: Iterable<string>, mark: ProfileMark): ProfileMarks {
  const moved = new Map(marks);
  for (const path of paths) if (!isStale(moved, path, mark)) moved.set(path, after(moved.get(path) ?? [], mark));
  return bounded(moved);
}

/** What is known is no later than the mark by its time: only its numbers can tell anything still. */
function after(known: readonly ProfileMark[], mark: ProfileMark): readonly ProfileMark[] {
  const isReplaced = ({ source, sequence }: ProfileMark): boolean =>
    sequence === null || (mark.sequence !== null && source === mark.source);
  const numbered = known.filter((other) => !isReplaced(other)).toSorted((a, b) => b.timeMs - a.timeMs);
  return [mark, ...numbered.slice(0, markedSourcesMax - 1)];
}

const ownNames: ReadonlySet<string> = new Set([
  ...[wholeProfile, lastEnrolment, enrolledAgain],
  ...consentPaths.map(withdrawalOf),
]);

/** All that is remembered of a member who was erased, at `timeMs`: what happened before that is left behind. */
export function erasureMarks(timeMs: number): ProfileMarks {
  return new Map([[wholeProfile, [{ source: null, sequence: null, timeMs }]]]);
}

function newestMs(marks: readonly ProfileMark[]): number {
  return Math.max(...marks.map(({ timeMs }) => timeMs));
}

function bounded(marks: Map<string, readonly ProfileMark[]>): ProfileMarks {
  const paths = [...marks].filter(([path]) => !ownNames.has(path));
  const tooMany = paths.length - markedPathsMax;
  if (tooMany <= 0) return marks;
  for (const [path, known] of paths.toSorted(([, a], [, b]) => newestMs(a) - newestMs(b)).slice(0, tooMany)) {
    const mark = { source: null, sequence: null, timeMs: newestMs(known) };
    marks.delete(path);
    if (!isStale(marks, wholeProfile, mark)) marks.set(wholeProfile, after(marks.get(wholeProfile) ?? [], mark));
  }
  return marks;
}

const metaData = 'metaData.';

/** Under a digest of it, after this sign, stands a path whose name was chosen by a shop. */
export const digestSign = '#';

/** Whether the path's name was chosen by a shop, so that it may say something about a person. */
export function isNamedByShop(path: string): boolean {
  return path.startsWith(metaData);
}

function pathsIn(prefix: string, values: object = {}): string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${prefix}${name}`]));
}

function contentOf(command: PartnerCommand | null): PassContent | null {
  return command !== null && 'content' in command ? command.content : null;
}

/** What goes along with an enrolment, and is nothing of the profile. */
const accompanying: ReadonlySet<string> = new Set<keyof PassContent>(['templateId', 'ipAddress']);

/** What a command says about its member's profile, path by path; nothing for transactions and rewards. */
export function profilePaths(command: PartnerCommand | null): string[] {
  const content = contentOf(command);
  if (command === null || content === null) return [];
  const { person, passdata: { metaData: own, ...passdata } = {}, ...root } = content;
  // The key by which the pass is found goes along with every update and never changes.
  const key = `${metaData}${command.uniqueIdKey}`;
  const meta = pathsIn(metaData, own).filter((path) => path !== key);
  const roots = pathsIn('', root).filter((path) => !accompanying.has(path));
  return [...pathsIn('person.', person), ...pathsIn('passdata.', passdata), ...meta, ...roots];
}

/** The paths that a command clears. */
export function clearedPaths(command: PartnerCommand | null): string[] {
  const { person = {}, passdata: { metaData = {}, ...passdata } = {}, ...root } = contentOf(command) ?? {};
  const cleared = (prefix: string, values: object): string[] =>
    Object.entries(values).flatMap(([name, value]) => (value === null ? [`${prefix}${name}`] : []));
  return [
    ...cleared('person.', person),
    ...cleared('passdata.', passdata),
    ...cleared('metaData.', metaData),
    ...cleared('', root),
  ];
}

/** The paths by which a command consents to what an opt-out takes back. */
export function consentedPaths(command: PartnerCommand | null): string[] {
  const { smsSubscription, passdata } = contentOf(command) ?? {};
  const isSubscribed = smsSubscription === 200 || smsSubscription === 300;
  return [...(isSubscribed ? ['smsSubscription'] : []), ...(passdata?.['optOut'] === false ? ['passdata.optOut'] : [])];
}

/** The names under which is remembered that a command withdraws consent: by these paths, whatever else it says. */
export function withdrawals(
  command: PartnerCommand | null,
  paths: readonly string[] = profilePaths(command),
): string[] {
  const content = contentOf(command);
  const isWithdrawn = (path: string): boolean =>
    content === null ||
    (path === 'smsSubscription' ? content.smsSubscription === 900 : content.passdata?.['optOut'] === true);
  return consentPaths.filter((path) => paths.includes(path) && isWithdrawn(path)).map(withdrawalOf);
}

/** Whether that consent was withdrawn, and nothing newer has spoken of it since. */
export function isWithdrawn(marks: ProfileMarks, path: string): boolean {
  return marks.get(withdrawalOf(path))?.some((withdrawn) => !isStale(marks, path, withdrawn)) ?? false;
}

/**
 * The paths by which an enrolment of that mark must not give consent: those of which something newer has spoken, where it
 * consents to them; where its member has left the program since, those that the leaving withdrew, whatever it says; and those
 * that were withdrawn for whatever card there is, unless it consents to them anew.
 */
export function withdrawnPaths(command: PartnerCommand, marks: ProfileMarks, mark: ProfileMark): string[] {
  const isOvertaken = (name: string): boolean => marks.get(name)?.some((known) => isOlder(mark, known)) ?? false;
  const hasLeftSince = isOvertaken(wholeProfile);
  const left = consentPaths.filter((path) => hasLeftSince && isOvertaken(path));
  const consented = consentedPaths(command);
  const given = consented.filter((path) => isStale(marks, path, mark));
  const bound = consentPaths.filter((path) => isWithdrawn(marks, path) && !consented.includes(path));
  return [...new Set([...given, ...left, ...bound])];
}

/** The command with consent of these paths taken back: what was withdrawn later than it was given is not given. */
export function withConsentWithdrawn(command: PartnerCommand, paths: readonly string[]): PartnerCommand {
  if (!('content' in command) || paths.length === 0) return command;
  const { content } = command;
  const sms = paths.includes('smsSubscription') ? { smsSubscription: 900 as const } : {};
  const wallet = paths.includes('passdata.optOut') ? { passdata: { ...content.passdata, optOut: true } } : {};
  return { ...command, content: { ...content, ...sms, ...wallet } };
}

/** The values that are not dropped; undefined where there were none, or none is left. */
function kept<T extends object>(prefix: string, values: T | undefined, dropped: ReadonlySet<string>): T | undefined {
  if (values === undefined) return undefined;
  const left = Object.entries(values).filter(([name]) => !dropped.has(`${prefix}${name}`));
  return left.length === 0 ? undefined : (Object.fromEntries(left) as T);
}

/** The template goes with the tier: without that it is nothing that anybody has said. */
function withTemplateOf(content: PassContent, dropped: ReadonlySet<string>): PassContent {
  if (content.tierId === undefined || !dropped.has('tierId')) return content;
  const { templateId: _template, ...rest } = content;
  return rest;
}

/** The command without these paths; null where it says nothing any more. */
export function withoutProfilePaths(command: PartnerCommand, dropped: ReadonlySet<string>): PartnerCommand | null {
  const paths = profilePaths(command);
  if (!paths.some((path) => dropped.has(path))) return command;
  if (!('content' in command) || paths.every((path) => dropped.has(path))) return null;
  const { person, passdata: { metaData: own, ...passdata } = {}, ...root } = withTemplateOf(command.content, dropped);
  const [persons, meta] = [kept('person.', person, dropped), kept(metaData, own, dropped)];
  const pass = { ...kept('passdata.', passdata, dropped), ...(meta === undefined ? {} : { metaData: meta }) };
  const content: PassContent = {
    ...(persons === undefined ? {} : { person: persons }),
    ...(Object.keys(pass).length === 0 ? {} : { passdata: pass }),
    ...kept('', root, dropped),
  };
  return { ...command, content };
}

/** What a member's last enrolment still says the newest of; null: nothing. */
export function stillSaid(
  command: PartnerCommand,
  marks: ProfileMarks,
  isOvertaken: (path: string, enrolled: ProfileMark) => boolean,
): PartnerCommand | null {
  const enrolled = marks.get(lastEnrolment)?.[0];
  // An enrolment that is older than its member's opt-out has no mark.
  if (enrolled === undefined) return marks.has(wholeProfile) ? null : command;
  return withoutProfilePaths(command, new Set(profilePaths(command).filter((path) => isOvertaken(path, enrolled))));
}

/** Names that shops have chosen are kept as digests: one that is newer may be any of them. */
export function mayBeStale(marks: ProfileMarks, path: string, mark: ProfileMark): boolean {
  const digests = isNamedByShop(path) ? [...marks.keys()].filter((name) => name.startsWith(digestSign)) : [];
  return [path, ...digests].some((name) => isStale(marks, name, mark));
}

/** The command, with these paths as another one has them, as far as that says them. */
export function withProfilePathsOf(
  command: PartnerCommand,
  other: PartnerCommand,
  paths: ReadonlySet<string>,
): PartnerCommand {
  const rest = profilePaths(other).filter((path) => !paths.has(path));
  const taken = contentOf(withoutProfilePaths(other, new Set(rest)));
  if (!('content' in command) || taken === null) return command;
  const { content } = command;
  const { person, passdata: { metaData: own, ...passdata } = {}, ...root } = taken;
  const isSaid = (name: string): boolean =>
    name === 'templateId' ? root.tierId !== undefined : !accompanying.has(name);
  const meta = { ...content.passdata?.metaData, ...own };
  const pass = { ...content.passdata, ...passdata, ...(Object.keys(meta).length === 0 ? {} : { metaData: meta }) };
  return {
    ...command,
    content: {
      ...content,
      ...Object.fromEntries(Object.entries(root).filter(([name]) => isSaid(name))),
      ...(person === undefined ? {} : { person: { ...content.person, ...person } }),
      ...(Object.keys(pass).length === 0 ? {} : { passdata: pass }),
    },
  };
}
