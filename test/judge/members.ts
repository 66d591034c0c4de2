import { type LedgerEntry, type OperatorAct } from './case.js';
import { type Evidence } from './evidence.js';
import { isKnownBefore, type Told } from './read-records.js';
import { type Posted } from './transactions.js';
import { at } from './values.js';

const memberName = ({ program, member }: Told): string => JSON.stringify([program, member]);

const isMembersOwn = ({ kind }: Told): boolean => kind.startsWith('purchase.') || kind.startsWith('reward.');

interface Member {
  readonly leavings: readonly Told[];
  readonly enrolments: readonly Told[];
}

/**
 * Is nothing there that happened while its member had left, nor anything of whom an erasure has forgotten, nor of an absorbed member
 * what is the survivor's; does no list say so of somebody who never left; and was nobody taken for somebody else.
 */
export function judgeMembers(events: readonly Told[], posted: Posted, evidence: Evidence): void {
  const members = Map.groupBy(events, memberName);
  for (const all of members.values()) {
    const leavings = all.filter(
      ({ kind, data }) => kind === 'member.opted-out' && (data['scope'] === 'program' || data['erase'] === true),
    );
    const member = { leavings, enrolments: all.filter(({ kind }) => kind === 'member.enrolled') };
    for (const event of all.filter(isMembersOwn)) judgeEvent(event, { member, posted, evidence });
    if (leavings.length === 0) for (const event of member.enrolments) judgeNumber(event, all, evidence);
  }
}

/** An enrolment of which all that was surely said before says another name and another address is for a person. */
function judgeNumber(enrolment: Told, all: readonly Told[], evidence: Evidence): void {
  const { clocksWrongMs = 0 } = evidence.given;
  const sayWho = all.filter((one) => one.kind === 'member.enrolled' || one.kind === 'member.updated');
  const others = sayWho.filter((one) => one !== enrolment && !isKnownBefore(enrolment, one));
  const isBefore = (one: Told): boolean =>
    isKnownBefore(one, enrolment) && Math.max(...one.timesMs) + clocksWrongMs < Math.min(...enrolment.timesMs);
  const isSure = !enrolment.resubmitted && !evidence.hasCopies(enrolment.place) && !evidence.isErased(enrolment);
  if (!isSure || others.length === 0 || !others.every(isBefore)) return;
  const differs = (path: string): boolean => {
    const [own, said] = [spelled(enrolment, path), others.map((one) => spelled(one, path))];
    return own !== '' && said.every((other) => other !== '' && other !== own);
  };
  if (!differs('person.firstName') || !differs('person.email')) return;
  evidence.find('number-of-another', enrolment, 'another name and another address', enrolment.place);
}

const spelled = ({ corrected, data }: Told, path: string): string => {
  const value = at(corrected ?? data, path);
  return typeof value === 'string' ? value.trim().toLowerCase() : '';
};

function judgeEvent(
  event: Told,
  { member, posted, evidence }: { readonly member: Member; readonly posted: Posted; readonly evidence: Evidence },
): void {
  const [effect] = posted.get(event.place) ?? [];
  judgeAbsorbed(event, effect, evidence);
  if (wasErased(event, member, evidence)) judgeErased(event, effect, evidence);
  if (effect && hadLeft(event, member, evidence) && !evidence.isDecided(event.place)) {
    evidence.find('left-yet-sent', event, `ledger ${effect.seq}`, event.place);
  }
  const isListed = evidence.undone(event.place).some(({ reason }) => reason === 'not-a-member');
  if (isListed && member.leavings.length === 0 && !evidence.isErased(event)) {
    evidence.find('left-unasked', event, 'nobody has told that they left', event.place);
  }
}

/** Neither on the absorbed member's pass, nor waiting for one. */
function judgeAbsorbed(event: Told, effect: LedgerEntry | undefined, evidence: Evidence): void {
  if (event.absorbed === undefined || evidence.isDecided(event.place)) return;
  const isThere = effect !== undefined && evidence.ownerOf(effect.passId, event.terms) === event.absorbed;
  const isListed = evidence.lists(event.place).some(({ member }) => member === event.absorbed);
  if (isThere || isListed) evidence.find('absorbed-yet-sent', event, `as ${event.absorbed}'s`, event.place);
}

/** Nothing of it is there, and what asks for money stands in a list, with its amount. */
function judgeErased(event: Told, effect: LedgerEntry | undefined, evidence: Evidence): void {
  if (evidence.isDecided(event.place)) return;
  if (effect) evidence.find('erased-yet-sent', event, `ledger ${effect.seq}`, event.place);
  else if (asksForMoney(event) && evidence.undone(event.place).length === 0) {
    evidence.find('vanished', event, 'of an erased member, and in no list', event.place);
  }
}

function asksForMoney({ kind, terms, member, named }: Told): boolean {
  const mapping = terms.purchases?.[kind.slice('purchase.'.length)];
  return named === member && kind !== 'purchase.voided' && mapping !== undefined && mapping.via !== 'none';
}

/** Surely: it was told after an erasure had been read or carried out, and nobody has enrolled by a later time. */
function wasErased(event: Told, { leavings, enrolments }: Member, evidence: Evidence): boolean {
  const { clocksWrongMs = 0, operators } = evidence.given;
  const isBefore = (one: Told, atMs: number): boolean => Math.max(...one.timesMs) + clocksWrongMs <= atMs;
  const isAlone = (atMs: number): boolean => enrolments.every((one) => isBefore(one, atMs));
  const byEvent = leavings.some(
    (one) =>
      one.data['erase'] === true &&
      !one.resubmitted &&
      isKnownBefore(one, event) &&
      isAlone(Math.min(...one.timesMs, one.record.sentAtMs ?? Infinity)),
  );
  const isOf = (act: OperatorAct): boolean => act.program === event.program && act.member === event.member;
  const { sentAtMs = -Infinity } = event.record;
  return (
    byEvent ||
    operators.some(
      ({ atMs = Infinity, ...act }) => act.act === 'erase' && isOf(act) && atMs < sentAtMs && isAlone(atMs),
    )
  );
}

/** Surely: whichever copy was taken, and however the clocks of tills run ahead. */
function hadLeft(event: Told, { leavings, enrolments }: Member, evidence: Evidence): boolean {
  const { clocksWrongMs = 0 } = evidence.given;
  const happenedMs = Math.min(...event.timesMs, event.record.sentAtMs ?? Infinity);
  return leavings.some((leaving) => {
    const isBefore = Math.max(...leaving.timesMs) + clocksWrongMs < happenedMs;
    if (!isBefore || leaving.resubmitted || !isKnownBefore(leaving, event)) return false;
    return enrolments.every((one) => isLeftBehind(one, leaving) || isLater(one, event));
  });
}

const isLater = (enrolment: Told, event: Told): boolean =>
  Math.min(...enrolment.timesMs, enrolment.record.sentAtMs ?? Infinity) > Math.max(...event.timesMs);

/** It says nothing of a coming back: it was told before, and is no younger. */
const isLeftBehind = (enrolment: Told, leaving: Told): boolean =>
  isKnownBefore(enrolment, leaving) && Math.max(...enrolment.timesMs) <= Math.min(...leaving.timesMs);
