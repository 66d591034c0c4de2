import { type Json, type JsonObject, type LedgerEntry, type PartnerPass, type Program } from './case.js';
import { type Evidence } from './evidence.js';
import { isKnownBefore, type Told } from './read-records.js';
import { at, canonical, isObject, objectOf, textOf } from './values.js';

/** What one path of a pass may hold by now. More than one value only where a list says that nobody knows. */
interface Holding {
  readonly values: readonly (Json | undefined)[];
  readonly by: Told;
  /** That one, all that may yet be newer, and the last of each source with a `sequence`. */
  readonly newest: readonly Told[];
  readonly isCertain: boolean;
  /** What the path held before that one. */
  readonly before: Holding | undefined;
}

interface Life {
  readonly program: string;
  readonly terms: Program;
  readonly member: string;
  readonly holdings: Map<string, Holding>;
  /** By path: what was told by events that a list calls in doubt. */
  readonly inDoubt: Map<string, (Json | undefined)[]>;
  /** The one taken last. */
  enrolment: Told | undefined;
  /** Of every life: all but the first find a pass, and are told by an update of it. */
  readonly everEnrolled: Told[];
  /** All of this life: a later one may have corrected the first, and stands nowhere itself. */
  enrolments: Told[];
  /** What was told before them, of a pass that may still be there. */
  before: ReadonlyMap<string, Holding>;
  /** An opt-out from the program ended the first life; the pass stayed. */
  hasLeft: boolean;
  /** All such opt-outs: what is older than one of them was left behind. */
  readonly leavings: Told[];
  readonly clocksWrongMs: number;
}

const consentNumbers: { readonly [consent: string]: number } = {
  promotional: 200,
  transactional: 300,
  'opted-out': 900,
};
const plainPaths = ['tier', 'message', 'groupId', 'smsSubscription'];
const objectPaths = ['person', 'pass', 'metaData'];
const consentPaths = ['smsSubscription', 'pass.optOut'];
const personFields = ['firstName', 'lastName', 'email', 'phone'];

/** Is each pass as the newest enrolment and updates say, and do its points add up. */
export function judgePasses(events: readonly Told[], evidence: Evidence): void {
  const lives = livesOf(events, evidence);
  const passes = Map.groupBy(evidence.given.partner.passes, (pass) => ownerName(pass, evidence));
  for (const life of lives.values()) {
    evidence.judged.members += 1;
    const own = passes.get(lifeName(life.terms, life.member)) ?? [];
    judgeCount(life, own, evidence);
    // Of two nobody can say which one is shown and changed. What was told before an erasure is forgotten, and so is which of
    // it came last.
    const [pass, another] = own;
    if (pass && !another && !evidence.isErased(life)) judgeContent(life, pass, evidence);
  }
  judgeUnasked(lives, evidence);
  for (const pass of evidence.given.partner.passes) judgePoints(pass, lives, evidence);
}

const lifeName = (terms: Program, member: string): string =>
  JSON.stringify([String(terms.brandId), String(terms.programId), member]);

function ownerName(pass: PartnerPass, evidence: Evidence): string {
  for (const terms of Object.values(evidence.given.programs.programs)) {
    if (String(terms.brandId) !== pass.brandId || String(terms.programId) !== pass.programId) continue;
    const owner = evidence.ownerOf(pass.passId, terms);
    if (owner !== undefined) return lifeName(terms, owner);
  }
  return '';
}

function livesOf(events: readonly Told[], evidence: Evidence): Map<string, Life> {
  const lives = new Map<string, Life>();
  for (const event of events) {
    if (!['member.enrolled', 'member.updated', 'member.opted-out'].includes(event.kind)) continue;
    const name = lifeName(event.terms, event.member);
    const life = lives.get(name) ?? newLife(event, evidence);
    lives.set(name, life);
    live(life, event, evidence);
  }
  return lives;
}

const newLife = ({ program, terms, member }: Told, { given }: Evidence): Life => ({
  program,
  terms,
  member,
  holdings: new Map(),
  inDoubt: new Map(),
  enrolment: undefined,
  everEnrolled: [],
  enrolments: [],
  before: new Map(),
  hasLeft: false,
  leavings: [],
  clocksWrongMs: given.clocksWrongMs ?? 0,
});

function live(life: Life, event: Told, evidence: Evidence): void {
  if (evidence.undone(event.place).some(({ reason }) => reason === 'unknown-outcome')) doubt(life, event);
  const isCertain = evidence.undone(event.place).length === 0 && !evidence.isDecided(event.place);
  if (event.kind === 'member.enrolled') {
    if (areCancelled(life, evidence)) allowAll(life, event);
    const leavings = life.hasLeft && isCertain ? leavingsWithoutPass(life, event, evidence) : [];
    enrol(life, event, isCertain && !standsElsewhere(life, evidence));
    if (leavings.length > 0) withdrawUnsaid(life, event, leavings);
  } else if (event.kind === 'member.opted-out') leave(life, event, isCertain);
  else change(life, event, isCertain);
}

/**
 * An enrolment that corrects an earlier one of the same life stands in no list of its own: where a list says that the earlier
 * one is not done, neither is what corrected it.
 */
const standsElsewhere = ({ hasLeft, enrolments }: Life, evidence: Evidence): boolean =>
  !hasLeft && enrolments.some(({ place }) => evidence.undone(place).length > 0);

function change(life: Life, event: Told, isCertain: boolean): void {
  if (via(life.terms) === 'none' || isLeftBehind(life, event)) return;
  const sure = isCertain && via(life.terms) !== 'schedule' && !mayBeLeftBehind(life, event);
  for (const [path, value] of changesOf(event)) hold(life, path, { value, event, isCertain: sure });
}

/** What an enrolment says is in doubt, too, where that of the update is by which a pass that was found is told. */
function doubt({ inDoubt }: Life, event: Told): void {
  for (const [path, value] of saidBy(event)) inDoubt.set(path, [...(inDoubt.get(path) ?? []), value]);
}

function saidBy(event: Told): ReadonlyMap<string, Json | undefined> {
  if (event.kind === 'member.enrolled') return statedBy(event.corrected ?? event.data);
  if (event.kind === 'member.updated') return changesOf(event);
  return new Map(withdrawnPaths(event).map((path) => [path, withdrawnAt(path)]));
}

const isLeftBehind = ({ leavings }: Life, event: Told): boolean => leavings.some((leaving) => isStale(event, leaving));

const mayBeLeftBehind = ({ leavings }: Life, event: Told): boolean =>
  leavings.some((leaving) => mayBeStale(event, leaving));

/** What an opt-out takes back. */
function withdrawnPaths({ data }: Told): string[] {
  const scope = textOf(data['scope']);
  if (scope === 'email') return [];
  return [...(scope === 'wallet' ? [] : ['smsSubscription']), ...(scope === 'sms' ? [] : ['pass.optOut'])];
}

/** Never stale. */
function leave(life: Life, event: Told, isCertain: boolean): void {
  for (const path of withdrawnPaths(event)) set(life, path, { value: withdrawnAt(path), event, isCertain });
  if (textOf(event.data['scope']) !== 'program') return;
  life.hasLeft = true;
  life.leavings.push(event);
}

const via = (terms: Program): string => terms.update?.via ?? 'none';

/**
 * A first enrolment is never stale. Another one corrects the first while nothing of it can have taken effect (what it
 * does not say is then absent), afterwards it is an update of all that it says (what it does not say stays). The same
 * again says nothing.
 */
function enrol(life: Life, event: Told, isCertain: boolean): void {
  const { hasLeft } = life;
  const before = hasLeft ? undefined : life.enrolment;
  if (before && saysNothing(life, event, before)) return;
  const said = statedBy(event.corrected ?? event.data);
  if (before) forgetUnsaid(life, said);
  else Object.assign(life, { enrolments: [], before: new Map(life.holdings) });
  const isSure = isCertain && isCertainlyTaken(life, event, before);
  for (const [path, value] of said) {
    if (mayBeOlder(life, path, event, before)) allow(life, path, givenBefore(life, { path, value, event }));
    else hold(life, path, { value, event, isCertain: isSure && !mayKeep(life, path, before) });
  }
  life.everEnrolled.push(event);
  life.enrolments.push(event);
  life.enrolment = lastTaken(before, event);
  life.hasLeft = false;
}

/** What is older is not taken, so that what says the same later, in another event, is not the same again. */
const lastTaken = (before: Told | undefined, event: Told): Told => (before && isStale(event, before) ? before : event);

/**
 * Where all before it were cancelled, by a leaving that was read after them or by a person, an enrolment is the first to the
 * daemon, however old.
 */
const areCancelled = ({ enrolments }: Life, evidence: Evidence): boolean =>
  enrolments.length > 0 &&
  enrolments.every(({ place }) => evidence.undone(place).some(({ list }) => list === 'cancelled'));

function allowAll(life: Life, event: Told): void {
  for (const [path, value] of statedBy(event.corrected ?? event.data)) {
    allow(life, path, givenBefore(life, { path, value, event }));
  }
}

/** The first of a life is never stale; by a clock that is behind, what was told before its member left may yet be the newer. */
function mayBeOlder(life: Life, path: string, event: Told, before: Told | undefined): boolean {
  const held = life.holdings.get(path);
  return !before && (held?.newest.some((one) => mayBeStale(event, one)) ?? false);
}

/** Consent that something newer has spoken of is not given by what is surely older. */
function givenBefore(
  { holdings }: Life,
  { path, value, event }: { readonly path: string; readonly value: Json | undefined; readonly event: Told },
): Json | undefined {
  const isOlder = holdings.get(path)?.newest.some((one) => isStale(event, one)) ?? false;
  if (!isOlder) return value;
  return consentPaths.includes(path) ? withdrawnAt(path) : value;
}

/** Leavings that found no pass to change, and are surely newer than this enrolment, which was taken after them. */
const leavingsWithoutPass = ({ leavings, clocksWrongMs }: Life, event: Told, evidence: Evidence): readonly Told[] =>
  leavings.filter(
    (one) =>
      evidence.undone(one.place).some(({ reason }) => reason === 'no-pass') &&
      isKnownBefore(one, event) &&
      isStale(event, one) &&
      !areClose(event, one, clocksWrongMs),
  );

/** A card is issued opted out where its member has left since the enrolment, also where that says nothing of consent. */
function withdrawUnsaid({ holdings }: Life, event: Told, leavings: readonly Told[]): void {
  for (const path of consentPaths) {
    const held = holdings.get(path);
    if (!held || !leavings.includes(held.by)) continue;
    holdings.set(path, { ...held, values: [withdrawnAt(path)], by: event, isCertain: true });
  }
}

/** By a clock that is hours behind, who comes back does so before leaving: the pass that is there may keep what it says. */
const comesBackBefore = (life: Life, event: Told): boolean => life.hasLeft && mayBeLeftBehind(life, event);

const saysNothing = (life: Life, event: Told, before: Told): boolean =>
  canonical(before.data) === canonical(event.data) || isLeftBehind(life, event);

/** As a correction it is nothing where it is older than the first; as an update each value counts by itself. */
function isCertainlyTaken(life: Life, event: Told, before: Told | undefined): boolean {
  return before
    ? via(event.terms) !== 'none' && !mayBeStale(event, before) && !mayBeLeftBehind(life, event)
    : !comesBackBefore(life, event);
}

/** Who comes back, or enrols once more, has a pass, and that keeps its points unless the program says otherwise. */
const mayKeep = ({ hasLeft, terms }: Life, path: string, before: Told | undefined): boolean =>
  (hasLeft || before !== undefined) && path === 'pass.points' && terms.existingPass?.points !== 'overwrite';

function forgetUnsaid(life: Life, said: ReadonlyMap<string, Json | undefined>): void {
  for (const [path, held] of life.holdings) {
    if (said.has(path) || held.by.kind !== 'member.enrolled') continue;
    for (const value of [undefined, ...(life.before.get(path)?.values ?? [])]) allow(life, path, value);
  }
}

/** All that an enrolment says, by path. */
export function statedBy(data: JsonObject): Map<string, Json | undefined> {
  const stated = new Map<string, Json | undefined>();
  for (const path of plainPaths) if (data[path] !== undefined) stated.set(path, data[path]);
  for (const path of objectPaths) {
    for (const [field, value] of Object.entries(objectOf(data[path]))) stated.set(`${path}.${field}`, value);
  }
  return stated;
}

/** All that an update changes, by path. */
export function changesOf({ data, corrected }: Told): Map<string, Json | undefined> {
  const content = corrected ?? data;
  const changes = new Map<string, Json | undefined>();
  for (const path of Array.isArray(content['changed']) ? content['changed'] : []) {
    if (typeof path !== 'string') continue;
    const value = at(content, path);
    if (!objectPaths.includes(path)) changes.set(path, value);
    else if (isObject(value)) for (const [field, part] of Object.entries(value)) changes.set(`${path}.${field}`, part);
  }
  return changes;
}

interface Change {
  readonly value: Json | undefined;
  readonly event: Told;
  readonly isCertain: boolean;
  /** Something that the path holds may yet be the newer. */
  readonly hasRival?: boolean;
}

/** One watermark for each path: what is older than what the path holds does not change it. */
function hold(life: Life, path: string, change: Change): void {
  const { newest = [], isCertain = true } = life.holdings.get(path) ?? {};
  const { event } = change;
  if (newest.some((one) => isOpen(event, one, life))) set(life, path, { ...change, hasRival: true });
  else if (!newest.some((one) => isStale(event, one))) set(life, path, change);
  else if (!isCertain) allow(life, path, change.value);
}

function set(life: Life, path: string, change: Change): void {
  const { value, event, isCertain, hasRival } = change;
  const before = life.holdings.get(path);
  const newest = before?.newest ?? [];
  const keeps = !isCertain || hasRival === true || isTie(before, event);
  const withdrawn = newest.filter((one) => mayWithdrawLater(one, event)).map(() => withdrawnAt(path));
  const values = [...(keeps ? leftBeside(life, before, change) : withdrawn), value];
  const rivals = newest.filter((one) => mayCountStill(one, event, life));
  life.holdings.set(path, { values, by: event, newest: [...rivals, event], isCertain: !keeps, before });
}

const isTie = (before: Holding | undefined, event: Told): boolean =>
  before !== undefined && before.by.lane !== event.lane && !isStale(before.by, event);

/** What may be there still where an event does not surely count. */
const leftBeside = (life: Life, before: Holding | undefined, { event, isCertain }: Change): (Json | undefined)[] =>
  isCertain ? [...(before?.values ?? [undefined])] : distinct(leftWithout(life, before, event));

/**
 * What is there where an event has not taken effect. What is older, and stands in another partition, may have been read after
 * it: then it was stale, and left what was there before. So it may where it was sent without what the event says.
 */
function leftWithout(life: Life, held: Holding | undefined, event: Told): readonly (Json | undefined)[] {
  if (!held) return [undefined];
  if (!mayBeReadAsStale(life, held.by, event) && !mayBeSentWithout(life, held.by, event)) return held.values;
  return [...held.values, ...leftWithout(life, held.before, event)];
}

/**
 * An older change that still waits is sent without what an enrolment says, and the update by which an enrolment is told that
 * found a pass, without what something newer has said by then.
 */
const mayBeSentWithout = ({ everEnrolled }: Life, one: Told, event: Told): boolean =>
  one.kind === 'member.enrolled' ? one !== everEnrolled[0] : event.kind === 'member.enrolled';

/** A first enrolment and an opt-out never are. */
const mayBeReadAsStale = ({ enrolments }: Life, one: Told, event: Told): boolean =>
  one.kind !== 'member.opted-out' && one !== enrolments[0] && !isKnownBefore(one, event) && mayBeStale(one, event);

const distinct = (values: readonly (Json | undefined)[]): (Json | undefined)[] => [
  ...new Map(values.map((value) => [canonical(value), value])).values(),
];

/** What is told next is compared with this one, too, or this one may be taken after it. */
const mayCountStill = (one: Told, event: Told, life: Life): boolean =>
  mayBeStale(event, one) || isOpen(event, one, life) || isNewestByNumber(one, event) || mayWithdrawLater(one, event);

/**
 * An opt-out is never stale, and different partitions have no order: consent that was told after it, and is newer, may have
 * been taken before it.
 */
const mayWithdrawLater = (one: Told, event: Told): boolean =>
  one.kind === 'member.opted-out' && !one.resubmitted && !isKnownBefore(one, event);

/** What an opt-out says of that path. */
const withdrawnAt = (path: string): Json => (path === 'smsSubscription' ? 'opted-out' : true);

/** The next of its source is compared with this one, whatever came between them without a number or from elsewhere. */
const isNewestByNumber = (one: Told, event: Told): boolean =>
  one.sequence !== undefined && (event.sequence === undefined || event.source !== one.source);

function allow(life: Life, path: string, value: Json | undefined): void {
  const held = life.holdings.get(path);
  if (held) life.holdings.set(path, { ...held, values: [...held.values, value], isCertain: false });
}

/** Surely older: by `sequence` where both come from one source and have one, else by time. Ties go to the later record. */
export function isStale(event: Told, before: Told): boolean {
  return compareNumbers(event, before) ?? latestMs(event) < earliestMs(before);
}

/** By a clock that runs ahead an event counts as of when it was received, which may be long after it was sent. */
export function mayBeStale(event: Told, before: Told): boolean {
  return compareNumbers(event, before) ?? (earliestMs(event) < latestMs(before) && !isReceivedLater(event, before));
}

function isOpen(event: Told, before: Told, { clocksWrongMs }: Life): boolean {
  return areClose(event, before, clocksWrongMs) || (mayBeStale(event, before) && !isStale(event, before));
}

/** Whether its `sequence` is lower; undefined where they do not compare by it. */
function compareNumbers(event: Told, before: Told): boolean | undefined {
  if (event.source !== before.source || event.sequence === undefined || before.sequence === undefined) return undefined;
  return compareSequences(event.sequence, before.sequence) < 0;
}

/** Compared by clocks of which one may have been wrong by as much. */
function areClose(event: Told, before: Told, clocksWrongMs: number): boolean {
  return (
    compareNumbers(event, before) === undefined && Math.abs(earliestMs(event) - earliestMs(before)) < clocksWrongMs
  );
}

/** What is sent later in one lane is received later: then only a time that lies before the other's can make it older. */
const isReceivedLater = (event: Told, before: Told): boolean =>
  event.lane === before.lane && event.rank > before.rank && Math.min(...event.timesMs) >= latestMs(before);

/** A clock that is ahead counts as no later than when the event was received: not before it was sent, */
const earliestMs = ({ timesMs, record }: Told): number => Math.min(...timesMs, record.sentAtMs ?? Infinity);

/**
 * and not after it is known to have been read. Where nobody knows that, it was read at once. A copy in another partition may
 * be the one that was taken, and counts as of its own time.
 */
function latestMs(event: Told): number {
  const { timesMs, record } = event;
  const [ownMs = NaN, ...copiesMs] = timesMs;
  return Math.max(earliestMs(event), Math.min(ownMs, record.readByMs ?? -Infinity), ...copiesMs);
}

function compareSequences(a: string, b: string): number {
  const areNumbers = /^\d+$/u.test(a) && /^\d+$/u.test(b);
  if (!areNumbers) return a < b ? -1 : a > b ? 1 : 0;
  return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
}

function judgeCount(life: Life, own: readonly PartnerPass[], evidence: Evidence): void {
  if (own.length > 1 && evidence.given.partner.breaksUniqueness === true) evidence.count('partner-broke-uniqueness');
  else if (own.length > 1) evidence.find('pass-twice', life, own.map(({ passId }) => passId).join(', '));
  const { enrolment } = life;
  if (!enrolment) return;
  if (own.length === 0 && life.enrolments.every(({ place }) => evidence.undone(place).length === 0)) {
    if (evidence.isErased(life)) evidence.count('erased');
    else evidence.find('pass-missing', life, 'enrolled, in no list, and no pass', enrolment.place);
  }
  judgeCorrection(enrolment, evidence);
}

/** What an operator mended is tried again: it does not stand where it stood before. */
function judgeCorrection(enrolment: Told, evidence: Evidence): void {
  const parked = evidence.undone(enrolment.place).find(({ list }) => list === 'parked');
  const mended = evidence.acts(enrolment.place).findLast(({ act }) => act === 'correct');
  if (parked?.sinceMs === undefined || mended?.atMs === undefined || parked.sinceMs >= mended.atMs) return;
  evidence.find('correction-ignored', enrolment, 'parked since before it was mended', enrolment.place);
}

function judgeContent(life: Life, pass: PartnerPass, evidence: Evidence): void {
  const { terms } = life;
  const apart: Apart = { isOfDoubt: false, byOthers: new Set() };
  for (const [path, holding] of life.holdings) {
    const shown = shownAt(pass, path, terms);
    if (!shown || path === 'pass.points' || isUnknownBefore(life, pass, { holding, evidence })) continue;
    evidence.judged.fields += 1;
    const allowed = holding.values.map((value) => asSent(path, value, terms));
    if (allowed.some((value) => isSame(value, shown.value)) || isApart(apart, { life, pass, path, evidence })) continue;
    const said = allowed.map((value) => canonical(value)).join(' or ');
    const what = `${path}: ${said} was told, ${canonical(shown.value)} is there`;
    evidence.find('pass-differs', life, what, holding.by.place);
  }
  if (apart.isOfDoubt) evidence.count('partner-applied-out-of-order');
  apart.byOthers.forEach(() => evidence.count('somebody-elses-effect'));
  judgeTemplate(life, pass, evidence);
}

/** Why a pass shows something else, beside a mistake of ours. */
interface Apart {
  isOfDoubt: boolean;
  /** `seq` of effects of other systems that show. */
  readonly byOthers: Set<number>;
}

interface Shown {
  readonly life: Life;
  readonly pass: PartnerPass;
  readonly path: string;
  readonly evidence: Evidence;
}

function isApart(apart: Apart, { life, pass, path, evidence }: Shown): boolean {
  const { terms } = life;
  const shown = shownAt(pass, path, terms)?.value;
  const setters = evidence.ledgerOf(pass.passId).filter((entry) => setBy(entry, path) !== undefined);
  const setter = setters.at(-1);
  if (setter && isSame(setBy(setter, path), shown) && isNotAsked(apart, { setter, setters, evidence })) return true;
  const doubted = (life.inDoubt.get(path) ?? []).map((value) => asSent(path, value, terms));
  const isOfDoubt = doubted.some((value) => isSame(value, shown)) && isOutOfOrder(pass, terms, evidence);
  apart.isOfDoubt ||= isOfDoubt;
  return isOfDoubt;
}

interface Setting {
  readonly setter: LedgerEntry;
  readonly setters: readonly LedgerEntry[];
  readonly evidence: Evidence;
}

/** Who set it last is another system, or one call of ours once more. */
function isNotAsked({ byOthers }: Apart, { setter, setters, evidence }: Setting): boolean {
  if (evidence.isOthers(setter)) {
    byOthers.add(setter.seq);
    return true;
  }
  if (!isAgain(setter, setters)) return false;
  evidence.countAgain(setter);
  return true;
}

/** Ours once more, by the partner's own doing: it undid what came between. */
const isAgain = ({ seq, requestId }: LedgerEntry, setters: readonly LedgerEntry[]): boolean =>
  requestId !== undefined && setters.some((entry) => entry.seq < seq && entry.requestId === requestId);

/**
 * What a pass showed that was there before is not known, and may be left where a list says that something is not done, or
 * where its member has left the program since it was told.
 */
const isUnknownBefore = (
  life: Life,
  { passId }: PartnerPass,
  { holding, evidence }: { readonly holding: Holding; readonly evidence: Evidence },
): boolean => (!holding.isCertain || isLeftBehind(life, holding.by)) && isOthersPass(passId, evidence);

/** A call that set something took effect after one that had arrived later. */
function isOutOfOrder({ passId }: PartnerPass, terms: Program, evidence: Evidence): boolean {
  const entries = settingOperations.flatMap((operation) => evidence.ledger(terms, operation));
  const arrivals = entries.filter((entry) => entry.passId === passId).sort((a, b) => a.seq - b.seq);
  return arrivals.some(({ arrivedAtMs = 0 }, index) => arrivedAtMs < (arrivals[index - 1]?.arrivedAtMs ?? 0));
}

const plainNames: { readonly [path: string]: string } = { tier: 'templateTierId', message: 'currentMessage' };

/** What this effect set of what the pass shows for the path; undefined: nothing. The last one that did is what it shows. */
function setBy({ operation, body }: LedgerEntry, path: string): unknown {
  if (!settingOperations.includes(operation)) return undefined;
  const [head = '', ...rest] = path.split('.');
  const where: { readonly [head: string]: string } = {
    pass: 'passdata',
    metaData: 'passdata.metaData',
    person: 'person',
  };
  const name = where[head];
  return at(body, name === undefined ? (plainNames[path] ?? path) : `${name}.${rest.join('.')}`);
}

/** Sent with the enrolment: a pass that was there before keeps its own. */
function judgeTemplate(life: Life, { passId, templateId }: PartnerPass, evidence: Evidence): void {
  const wanted = life.terms.templateId;
  if (!life.enrolment || wanted === undefined || templateId === undefined || isOthersPass(passId, evidence)) return;
  if (String(templateId) !== String(wanted)) {
    evidence.find('pass-differs', life, `templateId: ${String(templateId)} is there`);
  }
}

const isOthersPass = (passId: string, { given }: Evidence): boolean =>
  given.partner.otherPasses?.includes(passId) === true;

/** Where the partner shows a path; undefined where it shows it nowhere. */
function shownAt(pass: PartnerPass, path: string, terms: Program): { readonly value: unknown } | undefined {
  const [head = '', ...rest] = path.split('.');
  const field = rest.join('.');
  if (head === 'person') return shownOfPerson(pass, field, terms);
  if (head === 'pass') return { value: pass.passdata[field] };
  if (head === 'metaData') {
    return field === (terms.uniqueIdKey ?? 'memberId')
      ? undefined
      : { value: objectOf(pass.passdata['metaData'])[field] };
  }
  const plain: { readonly [path: string]: unknown } = {
    tier: pass.templateTierId,
    message: pass.currentMessage,
    groupId: pass.groupId,
    smsSubscription: pass.smsSubscription,
  };
  return plain[path] === undefined ? undefined : { value: plain[path] };
}

function shownOfPerson(pass: PartnerPass, field: string, terms: Program): { readonly value: unknown } | undefined {
  if (!pass.person) return undefined;
  if (personFields.includes(field)) return { value: pass.person[field] };
  const mapped = Object.entries(terms.personAttributes ?? {}).find(([, from]) => from === `person.${field}`);
  return mapped ? { value: pass.person[mapped[0]] } : undefined;
}

function asSent(path: string, value: Json | undefined, terms: Program): unknown {
  if (value === undefined || value === null) return null;
  if (path === 'tier') return terms.tiers?.[textOf(value) ?? ''];
  if (path === 'smsSubscription') return consentNumbers[textOf(value) ?? ''];
  return value;
}

/** Ids may be numbers or text; what is cleared may be null, empty or gone. */
function isSame(told: unknown, shown: unknown): boolean {
  const isNothing = (value: unknown): boolean => value === null || value === undefined || value === '';
  if (isNothing(told)) return isNothing(shown);
  return canonical(told) === canonical(shown) || (textOf(told) !== undefined && textOf(told) === textOf(shown));
}

function judgeUnasked(lives: ReadonlyMap<string, Life>, evidence: Evidence): void {
  const { passes, otherPasses = [] } = evidence.given.partner;
  for (const pass of passes) {
    const life = lives.get(ownerName(pass, evidence));
    if (life?.enrolment || otherPasses.includes(pass.passId)) continue;
    evidence.find('pass-unasked', null, `pass ${pass.passId} of program ${pass.programId}`);
  }
}

const settingOperations = ['issue', 'issue-via-workflow', 'update-via-workflow', 'scheduled-change'];
const addingOperations = ['reward', 'transaction'];

/** Folds the partner's own ledger: what was set, and what was added since. */
function judgePoints(pass: PartnerPass, lives: ReadonlyMap<string, Life>, evidence: Evidence): void {
  const life = lives.get(ownerName(pass, evidence));
  if (!life) return;
  const { points, set } = folded(evidence.ledgerOf(pass.passId), life.terms);
  if (points === undefined) return;
  evidence.judged.points += 1;
  const there = pass.passdata['points'] ?? 0;
  if (there !== points) evidence.find('points-wrong', life, `${points} by the ledger, ${canonical(there)} on the pass`);
  // A pass that was there before keeps the points that it had.
  if (set || !isOthersPass(pass.passId, evidence)) judgeSetPoints(life, set, evidence);
}

interface Folded {
  readonly points: number | undefined;
  readonly set: LedgerEntry | undefined;
}

function folded(entries: readonly LedgerEntry[], terms: Program): Folded {
  let points: number | undefined = 0;
  let set: LedgerEntry | undefined;
  for (const entry of entries) {
    const given = at(entry.body, 'passdata.points');
    if (addingOperations.includes(entry.operation)) points = added(points, deltaOf(entry, terms));
    else if (!settingOperations.includes(entry.operation)) continue;
    else if (given !== undefined) {
      points = typeof given === 'number' ? given : 0;
      set = entry;
    }
  }
  return { points, set };
}

const added = (points: number | undefined, delta: number | undefined): number | undefined =>
  points === undefined || delta === undefined ? undefined : points + delta;

/** How one effect moves points; undefined where the programs file does not say it. */
function deltaOf({ operation, targetId }: LedgerEntry, terms: Program): number | undefined {
  if (operation === 'transaction') {
    const mapping = Object.values(terms.purchases ?? {}).find((one) => String(one?.transactionTypeId) === targetId);
    return mapping?.pointsDelta ?? 0;
  }
  if (terms.revoked?.id !== undefined && String(terms.revoked.id) === targetId) return terms.revoked.pointsDelta;
  const reward = Object.values(terms.rewards ?? {}).find((one) => rewardId(one) === targetId);
  return typeof reward === 'object' ? reward.pointsDelta : undefined;
}

export const rewardId = (mapping: string | number | { readonly id: string | number }): string =>
  String(typeof mapping === 'object' ? mapping.id : mapping);

function judgeSetPoints(life: Life, set: LedgerEntry | undefined, evidence: Evidence): void {
  const holding = life.holdings.get('pass.points');
  if (!holding || evidence.isErased(life) || (set && evidence.isOthers(set))) return;
  const there = at(set?.body, 'passdata.points');
  if (!holding.values.some((value) => isSame(value, there))) {
    const told = holding.values.map((value) => canonical(value)).join(' or ');
    evidence.find('points-set-wrong', life, `${told} was told, ${canonical(there)} was set last`, holding.by.place);
  }
}
