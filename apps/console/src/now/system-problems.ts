import { durationText } from '../components/time-words.js';
import { capital, operationName } from '../components/operation-words.js';
import { moneyText } from '../components/money-words.js';
import { onlySource, senderText } from '../quarantine/cause-words.js';
import { detailWords } from '../quarantine/refusal-words.js';
import type { QuarantineCause } from '../quarantine/use-causes.js';
import { jobKinds } from '../work/job-kinds.js';
import { scopeKey } from '../work/pause-words.js';
import type { DoctorCheck } from './check-areas.js';
import { countOf, countText, type Looked, standing, type Stats, type Problem } from './problem.js';

const oldSeconds = 1_800;
const uncountedSecondsMax = 60;
const behindSecondsMax = 60;
const open = ['pending', 'delivering', 'waiting'];
const askedFor = ['pending', 'delivering', 'unknown'];

/** What each role does, and what it means that nobody does it. */
const roles = [
  {
    role: 'delivery',
    weight: 9_000,
    text: (stats: Stats) =>
      `Nobody delivers: no process has the role delivery; ${countText(standing(stats, open))} intents wait`,
  },
  {
    role: 'ingest',
    weight: 8_900,
    text: () => 'Nobody takes events in: no process has the role ingest; they stay in Kafka',
  },
] as const;

function absentRoles({ stats, isWhole }: Looked): readonly Problem[] {
  if (!isWhole) return [];
  const absent = roles.filter(({ role }) => !stats.processes.some((process) => process.roles.includes(role)));
  return absent.map(({ role, weight, text }) => ({
    id: `role-${role}`,
    severity: 'broken' as const,
    weight,
    text: text(stats),
    place: null,
    page: 'runbooks/LoyaltydRoleAbsent.md',
  }));
}

const breakerWords: Readonly<Record<Exclude<Stats['partner'][number]['breaker'], 'closed'>, string>> = {
  open: 'Partner does not answer for',
  probing: 'Partner did not answer: a lookup asks whether it is back for',
  trying: 'Partner is back after a rest: one call is tried for',
};

/** Whether nothing of a program may be sent or looked up until it is resumed: then no call shows whether the partner is back. */
function isHeldWhole({ intents, pauses }: Stats, program: string): boolean {
  const toBeSent = intents.filter((count) => count.program === program && askedFor.includes(count.status));
  const ofPause = pauses.filter((pause) => pause.program === null || pause.program === program);
  return (
    ofPause.length > 0 &&
    toBeSent.every(
      ({ operation, intents: count }) =>
        count === 0 ||
        ofPause.some((pause) => (pause.operation ?? operation) === operation && (pause.factor ?? null) === null),
    )
  );
}

/** The partner rests, as any process sees it; a pause that holds all that would ask it is told by itself. */
function restingPartner({ stats }: Looked): readonly Problem[] {
  return stats.partner.flatMap(({ program, breaker }) => {
    if (breaker === 'closed' || (breaker !== 'open' && isHeldWhole(stats, program))) return [];
    return {
      id: `breaker-${program}`,
      severity: breaker === 'trying' ? ('attention' as const) : ('broken' as const),
      weight: 8_000,
      text: `${breakerWords[breaker]} ${program}: ${countText(standing(stats, open, program))} intents wait, nothing is lost`,
      page: 'runbooks/LoyaltydBreakerOpen.md',
      place: { to: '/intents' as const, search: { program, status: 'pending' }, name: 'See what waits' },
    };
  });
}

type Pause = Stats['pauses'][number];

function pausedWhat({ program, operation, factor }: Pause): string {
  const which = factor === null ? '' : ` (${factor})`;
  if (operation === null) return `${program ?? 'Everything'}${which}`;
  const name = `${operationName(operation)}${which}`;
  return program === null ? `All ${name}` : `${capital(name)} of ${program}`;
}

function pauseText(pause: Pause, timeText: Looked['timeText']): string {
  const { automatic, by, since, until, reason } = pause;
  const who = automatic ? 'by delivery itself, as the partner fails nearly all such calls,' : `by ${by}`;
  const verb = pause.operation === null ? 'is' : 'are';
  return `${pausedWhat(pause)} ${verb} paused ${who} since ${timeText(since)}${until === null ? '' : `, until ${timeText(until)}`}: "${reason}"`;
}

function pauseProblems({ stats, timeText }: Looked): readonly Problem[] {
  return stats.pauses.map((pause) => ({
    id: `pause-${scopeKey(pause)}`,
    // What a person has stopped is known to somebody; what has stopped by itself may not be.
    severity: pause.automatic || pause.program === null ? ('broken' as const) : ('attention' as const),
    weight: pause.automatic ? 5_000 : pause.program === null ? 6_000 : 800,
    text: pauseText(pause, timeText),
    page: pause.automatic ? 'runbooks/LoyaltydAutoPaused.md' : 'runbooks/LoyaltydPauseForgotten.md',
    place: { to: '/pauses' as const, name: 'See the pauses' },
  }));
}

const isPaused = (stats: Stats, program: string): boolean =>
  stats.pauses.some((pause) => pause.program === null || pause.program === program);
const isResting = (stats: Stats, program: string): boolean =>
  stats.partner.some((partner) => partner.program === program && partner.breaker !== 'closed');

/** Late, though nothing says why. */
function oldPending({ stats }: Looked): readonly Problem[] {
  return stats.oldestPending
    .filter(({ program, seconds }) => seconds > oldSeconds && !isPaused(stats, program) && !isResting(stats, program))
    .map(({ program, seconds }) => ({
      id: `old-${program}`,
      severity: 'broken' as const,
      weight: 4_000,
      page: 'runbooks/LoyaltydOldestPending.md',
      text: `Delivery of ${program} is late: the oldest intent has waited for ${durationText(seconds * 1_000)}`,
      place: { to: '/intents' as const, search: { program, status: 'pending' }, name: 'See what waits' },
    }));
}

function recoveryProblems({ stats: { recovery } }: Looked): readonly Problem[] {
  if (recovery === null || recovery.open + recovery.undecided === 0) return [];
  const { open: sought, undecided } = recovery;
  const needsPerson = undecided > 0;
  return [
    {
      id: 'recovery',
      page: 'restore.md',
      severity: needsPerson ? 'attention' : 'note',
      weight: 900,
      text: needsPerson
        ? `In doubt since the restore: ${countOf(undecided, 'intent')} must be decided by a person`
        : `After the restore evidence is still looked for, of ${countOf(sought, 'intent')}`,
      place: { to: '/failures', search: { status: needsPerson ? 'parked' : 'unknown' }, name: 'See them' },
    },
  ];
}

/** Causes that are named one by one; the others are counted. */
const causesNamedMax = 3;

const quarantinePage = 'runbooks/LoyaltydQuarantineRate.md';

/** A bad till is named as a bad store is: how many, who sent them, since when, by which rule, and what is at stake. */
function ofCause(cause: QuarantineCause, timeText: Looked['timeText'], weight: number): Problem {
  const { reason, cause: rule, records, firstAt, money } = cause;
  const source = onlySource(cause);
  const sender = senderText(cause);
  const worth = money.map((amount) => moneyText(amount).replaceAll(' ', '\u00a0')).join(' and ');
  const from = sender === null ? '' : `, ${sender}`;
  const stake = worth === '' ? '' : `; ${worth} at stake`;
  const verb = records === 1 ? 'is' : 'are';
  return {
    ...{ id: `quarantine-${reason}-${rule}`, severity: 'attention', weight, page: quarantinePage },
    text: `${countOf(records, 'record')} ${verb} set aside since ${timeText(firstAt)}${from}: ${reason}, ${detailWords(cause)}${stake}`,
    place: { to: '/quarantine', search: { reason, cause: rule, ...(source !== null && { source }) }, name: 'See them' },
  };
}

function quarantineProblems({ stats: { quarantine }, causes = [], timeText }: Looked): readonly Problem[] {
  const records = quarantine.reduce((sum, reason) => sum + reason.records, 0);
  const named = records === 0 ? [] : causes.slice(0, causesNamedMax);
  const left = records - named.reduce((sum, cause) => sum + cause.records, 0);
  const problems = named.map((cause, index) => ofCause(cause, timeText, 90 - index));
  if (left <= 0) return problems;
  const [first] = quarantine.toSorted((one, two) => two.records - one.records);
  const most = quarantine.length === 1 ? `: ${first?.reason}` : `, most of them ${first?.reason}`;
  return [
    ...problems,
    {
      id: 'quarantine',
      page: quarantinePage,
      severity: 'attention',
      weight: 90 - causesNamedMax,
      text:
        named.length === 0
          ? `${countOf(left, 'record')} set aside as unusable${most}`
          : `${countOf(left, 'record')} set aside for other causes`,
      place: { to: '/quarantine', name: 'See them' },
    },
  ];
}

function jobProblems({ stats: { jobs } }: Looked): readonly Problem[] {
  return jobs
    .filter(({ state }) => state === 'stopped')
    .map(({ id, kind, error }) => ({
      id: `job-${id}`,
      severity: 'attention' as const,
      weight: 600,
      page: 'operations/many.md',
      text: `${jobKinds[kind].name} ${id} has stopped itself: ${error ?? 'what it sent failed again'}`,
      place: { to: '/jobs/$kind/$id' as const, params: { kind, id }, name: 'See it' },
    }));
}

/** A different programs file in each process: the same event would be routed in two ways. */
function disagreement({ stats: { processes } }: Looked): readonly Problem[] {
  const files = new Set(processes.map(({ programs }) => programs)).size;
  if (files < 2) return [];
  return [
    {
      id: 'programs',
      page: 'runbooks/LoyaltydProgramsDisagree.md',
      severity: 'attention',
      weight: 850,
      text: `Processes work by ${files} different programs files`,
      place: { to: '/settings', name: 'See the settings' },
    },
  ];
}

function uncounted({ stats: { countedUntil } }: Looked): readonly Problem[] {
  if (countedUntil.lagSeconds <= uncountedSecondsMax) return [];
  const text = `These figures are ${durationText(countedUntil.lagSeconds * 1_000)} behind: deliveries are counted later than they happen`;
  const page = 'runbooks/LoyaltydProjectionLag.md';
  return [{ id: 'uncounted', severity: 'attention', weight: 80, text, place: null, page }];
}

/** As all processes that take events in know it. */
function behind({ stats: { lag } }: Looked): readonly Problem[] {
  const seconds = lag?.oldestSeconds ?? 0;
  if (lag === null || seconds <= behindSecondsMax) return [];
  const age = durationText(seconds * 1_000);
  const text = `Kafka is ${countOf(lag.records, 'record')} (${age}) ahead of what is taken in`;
  const page = 'runbooks/LoyaltydConsumerLag.md';
  return [{ id: 'behind', severity: 'attention', weight: 950, text, place: null, page }];
}

/** What other troubles say better. */
const saidElsewhere = ['processes.alive', 'processes.programs'];

/** Where one of these fails, nothing is taken in, kept or sent; other checks tell of risks. */
const vital = [
  'kafka.connection',
  'kafka.gap',
  'kafka.transaction',
  'postgres.connection',
  'postgres.primary',
  'postgres.schema',
  'partner.',
];

/** @param of the one check, or the first of several */
const ofCheck = (of: DoctorCheck, said: Pick<Problem, 'id' | 'text' | 'severity' | 'weight'>): Problem => ({
  ...said,
  place: { to: '/', search: { checks: 'open' }, hash: 'checks', name: 'See the checks' },
  page: of.page,
});

/** Many of a kind are one line: the checks themselves say the rest. */
function summed(
  checks: readonly DoctorCheck[],
  state: 'failed' | 'warning',
  severity: Problem['severity'],
): readonly Problem[] {
  const [first, ...others] = checks.filter((check) => check.state === state);
  if (first === undefined) return [];
  const word = state === 'failed' ? 'failed' : 'warns';
  const text =
    others.length === 0
      ? `Check ${first.name} ${word}: ${first.detail}`
      : `${countOf(others.length + 1, 'check')} ${state === 'failed' ? 'failed' : 'warn'}: ${first.name}, ...`;
  return [ofCheck(first, { id: `check-${state}`, text, severity, weight: 60 })];
}

const vitalCheck = (check: DoctorCheck): Problem =>
  ofCheck(check, {
    id: `check-${check.name}`,
    text: `Check ${check.name} failed: ${check.detail}`,
    severity: 'broken',
    weight: 4_500,
  });

const lagCheck = (check: DoctorCheck): Problem =>
  ofCheck(check, {
    id: `check-${check.name}`,
    text: `Ingest is behind: ${check.detail}`,
    severity: 'attention',
    weight: 950,
  });

/** What the examination of everything around found. */
function examined({ doctor, stats }: Looked): readonly Problem[] {
  const checks = (doctor?.checks ?? []).filter(({ name }) => !saidElsewhere.includes(name));
  const isVital = ({ name, state }: DoctorCheck): boolean =>
    state === 'failed' && vital.some((start) => name.startsWith(start));
  const isLag = ({ name, state }: DoctorCheck): boolean => name === 'kafka.lag' && state === 'warning';
  const isKnown = stats.lag !== null;
  const rest = checks.filter((check) => !isVital(check) && !isLag(check));
  return [
    ...checks.filter(isVital).map(vitalCheck),
    ...checks.filter((check) => isLag(check) && !isKnown).map(lagCheck),
    ...summed(rest, 'failed', 'attention'),
    ...summed(rest, 'warning', 'note'),
  ];
}

export function systemProblems(looked: Looked): readonly Problem[] {
  const looks = [absentRoles, restingPartner, pauseProblems, oldPending, recoveryProblems, quarantineProblems];
  const more = [jobProblems, disagreement, uncounted, behind, examined];
  return [...looks, ...more].flatMap((look) => look(looked));
}
