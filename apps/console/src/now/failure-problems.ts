import { moneyText } from '../components/money-words.js';
import { operationName } from '../components/operation-words.js';
import {
  explain,
  failurePage,
  type FailureGroup,
  groupId,
  isPaused,
  latestRun,
  originText,
} from '../failures/causes.js';
import { countOf, countText, type Looked, type Severity, type Problem } from './problem.js';

const minuteMs = 60_000;
/** Something parked so lately shows that it goes on. */
const lateMs = 15 * minuteMs;
/** So many for the same cause are not one member's bad luck. */
const burstIntents = 5;
const manyUnknown = 20;
const longUnknownMs = 30 * minuteMs;

/** What is at stake, where there is money in it. */
function stakeText({ members, money }: FailureGroup): string {
  // An amount is not torn from its currency at the end of a line.
  const worth = money.filter(({ minor }) => minor !== 0).map((amount) => moneyText(amount).replaceAll(' ', '\u00a0'));
  return [countOf(members, 'member'), ...(worth.length === 0 ? [] : [`${worth.join(' and ')} at stake`])].join(', ');
}

function isGoingOn(group: FailureGroup, nowMs: number): boolean {
  const intents = latestRun(group)?.intents ?? 0;
  return intents >= burstIntents && nowMs - Date.parse(group.lastAt) <= lateMs;
}

const placeOf = (group: FailureGroup): Problem['place'] => ({
  to: '/failures',
  search: { group: groupId(group) },
  name: 'See why',
});

function parkedText(group: FailureGroup, since: string): string {
  const { program, operation, intents } = group;
  const what = `${countText(intents)} ${operationName(operation, intents)} of ${program}`;
  const verb = intents === 1 ? 'is' : 'are';
  return `${what} ${verb} parked since ${since}: ${explain(group).short}; ${stakeText(group)}`;
}

/** How many it is, and where from: others of the same program may well be delivered. */
function alarmText(group: FailureGroup, since: string): string {
  const { program, operation, wording } = group;
  const intents = latestRun(group)?.intents ?? group.intents;
  const origin = originText(group);
  const where = origin === null ? '' : `, ${origin}`;
  const why = wording === null ? '' : `. It says: ${wording}`;
  const what = `${countText(intents)} ${operationName(operation, intents)} of ${program}`;
  return `Partner refuses ${what} since ${since}${where}: ${stakeText(group)}${why}`;
}

function ofParked(group: FailureGroup, { stats, timeText }: Looked): Problem {
  const { reason, firstAt, members } = group;
  // What else is parked waits for somebody who mends it by day.
  const isAlarm = reason === 'rejected' && isGoingOn(group, Date.parse(stats.at));
  const since = timeText((isAlarm ? latestRun(group)?.since : null) ?? firstAt);
  return {
    id: groupId(group),
    severity: isAlarm ? 'broken' : 'attention',
    weight: (isAlarm ? 1_000 : 100) + members / (1 + members),
    text: isAlarm ? alarmText(group, since) : parkedText(group, since),
    place: placeOf(group),
    page: failurePage(group),
  };
}

/** What is parked, cause by cause. */
function parkedProblems(looked: Looked): readonly Problem[] {
  return looked.groups.filter(({ status }) => status === 'parked').map((group) => ofParked(group, looked));
}

const earliest = (times: readonly string[]): string | null =>
  times.toSorted((one, two) => Date.parse(one) - Date.parse(two))[0] ?? null;

function evidenceText(unknown: readonly FailureGroup[], paused: readonly FailureGroup[]): string {
  if (paused.length === 0) return 'evidence is looked for';
  if (paused.length === unknown.length) return 'no evidence is looked for while they are paused';
  const held = paused.reduce((sum, { intents }) => sum + intents, 0);
  return `evidence is looked for, but not of the ${countText(held)} that are paused`;
}

/** Outcomes that nobody knows: some there always are for a moment. */
function unknownProblems({ stats, groups, timeText }: Looked): readonly Problem[] {
  const unknown = groups.filter(({ status }) => status === 'unknown');
  const count = unknown.reduce((sum, { intents }) => sum + intents, 0);
  const since = earliest(unknown.map(({ firstAt }) => firstAt));
  if (since === null) return [];
  const isLong = Date.parse(stats.at) - Date.parse(since) > longUnknownMs;
  const severity: Severity = count >= manyUnknown ? 'broken' : isLong ? 'attention' : 'note';
  const outcomes = countOf(count, 'outcome');
  const paused = unknown.filter((group) => isPaused(group, stats.pauses));
  return [
    {
      id: 'unknown',
      severity,
      weight: 700,
      text: `${outcomes} not known, the oldest since ${timeText(since)}: ${evidenceText(unknown, paused)}, their members wait`,
      place: { to: '/failures', search: { status: 'unknown' }, name: 'See them' },
      page: 'runbooks/LoyaltydUnknownOld.md',
    },
  ];
}

export const failureProblems = (looked: Looked): readonly Problem[] => [
  ...parkedProblems(looked),
  ...unknownProblems(looked),
];
