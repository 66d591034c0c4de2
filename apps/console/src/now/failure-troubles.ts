import { moneyText } from '../components/money-words.js';
import { explain, type FailureGroup, groupId, latestRun, operationName } from '../failures/causes.js';
import { countOf, type Looked, type Severity, type Trouble } from './trouble.js';

const minuteMs = 60_000;
/** Something parked so lately shows that it goes on. */
const lateMs = 15 * minuteMs;
/** So many for the same cause are not one member's bad luck. */
const burstIntents = 5;
const manyUnknown = 20;
const longUnknownMs = 30 * minuteMs;

/** What is at stake, where there is money in it. */
function stakeText({ members, money }: FailureGroup): string {
  const worth = money.filter(({ minor }) => minor !== 0).map(moneyText);
  return [countOf(members, 'member'), ...(worth.length === 0 ? [] : [`${worth.join(' and ')} at stake`])].join(', ');
}

function isGoingOn(group: FailureGroup, nowMs: number): boolean {
  const intents = latestRun(group)?.intents ?? 0;
  return intents >= burstIntents && nowMs - Date.parse(group.lastAt) <= lateMs;
}

const placeOf = (group: FailureGroup): Trouble['place'] => ({
  to: '/failures',
  search: { group: groupId(group) },
  name: 'See why',
});

function rejectedText(group: FailureGroup, since: string, isNow: boolean): string {
  const { program, operation, intents } = group;
  return isNow
    ? `Partner refuses ${operationName(operation)} of ${program} since ${since}: ${stakeText(group)}`
    : `${countOf(intents, 'refused intent')} (${operationName(operation)} of ${program}) since ${since}: ${stakeText(group)}`;
}

function parkedText(group: FailureGroup, since: string): string {
  const { program, operation, intents } = group;
  const what = `${countOf(intents, 'parked intent')} (${operationName(operation)} of ${program})`;
  return `${what}: ${explain(group).short}, since ${since}, ${stakeText(group)}`;
}

function ofParked(group: FailureGroup, { stats, timeText }: Looked): Trouble {
  const isNow = isGoingOn(group, Date.parse(stats.at));
  const since = timeText((isNow ? latestRun(group)?.since : null) ?? group.firstAt);
  const isRefusal = group.reason === 'rejected';
  return {
    id: groupId(group),
    severity: isNow ? 'broken' : 'attention',
    weight: (isNow ? 1_000 : 100) + group.members / (1 + group.members),
    text: isRefusal ? rejectedText(group, since, isNow) : parkedText(group, since),
    place: placeOf(group),
  };
}

/** What is parked, cause by cause. */
function parkedTroubles(looked: Looked): readonly Trouble[] {
  return looked.groups.filter(({ status }) => status === 'parked').map((group) => ofParked(group, looked));
}

const earliest = (times: readonly string[]): string | null =>
  times.toSorted((one, two) => Date.parse(one) - Date.parse(two))[0] ?? null;

/** Outcomes that nobody knows: some there always are for a moment. */
function unknownTroubles({ stats, groups, timeText }: Looked): readonly Trouble[] {
  const unknown = groups.filter(({ status }) => status === 'unknown');
  const count = unknown.reduce((sum, { intents }) => sum + intents, 0);
  const since = earliest(unknown.map(({ firstAt }) => firstAt));
  if (since === null) return [];
  const isLong = Date.parse(stats.at) - Date.parse(since) > longUnknownMs;
  const severity: Severity = count >= manyUnknown ? 'broken' : isLong ? 'attention' : 'note';
  const outcomes = countOf(count, 'outcome');
  return [
    {
      id: 'unknown',
      severity,
      weight: 700,
      text: `${outcomes} not known, the oldest since ${timeText(since)}: evidence is looked for, their members wait`,
      place: { to: '/failures', search: { status: 'unknown' }, name: 'See them' },
    },
  ];
}

export const failureTroubles = (looked: Looked): readonly Trouble[] => [
  ...parkedTroubles(looked),
  ...unknownTroubles(looked),
];
