import type { Bar, ChaosReport } from '../chaos/report.js';

type Judged = Pick<
  ChaosReport,
  'seconds' | 'faults' | 'events' | 'fleet' | 'rest' | 'audit' | 'verdict' | 'truth' | 'kafka'
>;

const drainedSecondsMax = 60;
/** A run of at least so long must reach everything. */
const fullRunSeconds = 600;
/** Shorter ones start cold, and the machine has other things to do. */
const drainJudgedSeconds = 60;
const eventsMin = 100_000;
const killsInDoubtMin = 50;

/** A bar that decides. */
export function bar(text: string, reached: number | string, holds: boolean): Bar {
  return { text, reached: String(reached), holds, decides: true };
}

/** A bar about something that must not happen. */
export function none(text: string, count: number): Bar {
  return bar(`${text}: 0`, count, count === 0);
}

export function sum(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);
}

/** Parked although no outcome was in doubt and nobody had asked for it: somebody's sale, and we gave it up. */
function gaveUp(parked: Readonly<Record<string, number>>): number {
  return sum(Object.fromEntries(Object.entries(parked).filter(([name]) => name.startsWith('exhausted'))));
}

function retailersBars({ recordsInLog, retailer }: Judged['verdict']): Bar[] {
  const { findings, judged, unbounded } = retailer;
  const isAll = judged.records === recordsInLog;
  return [
    none("findings of the retailer's judge", findings),
    bar("the retailer's judge looked at every record", `${judged.records} of ${recordsInLog}`, isAll),
    bar('what it counts apart has its cause', unbounded.join('; ') || 'yes', unbounded.length === 0),
  ];
}

/** What no run may do, however hard it is. */
export function effectBars({ audit, verdict, truth }: Pick<Judged, 'audit' | 'verdict' | 'truth'>): Bar[] {
  const { broken } = verdict;
  const times = (...ids: (keyof typeof broken)[]): number => sum(Object.fromEntries(ids.map((id) => [id, broken[id]])));
  return [
    none('lost', audit.lost.length + times('I1')),
    none('duplicate effects', sum(audit.duplicates) + times('I6', 'I7')),
    none('effects that nobody asked for', audit.foreign.length + times('I2')),
    none('order violations', times('I5')),
    bar('invariants broken: none', Object.keys(broken).join(' ') || 'none', sum(broken) === 0),
    none('parked as unknown although there was evidence', truth.overParked.length),
    ...retailersBars(verdict),
  ];
}

/** What holds also where some of the history is forgotten: what is not known to be done is left to a person, and counted. */
export function forgetfulBars({ audit, verdict, truth }: Pick<Judged, 'audit' | 'verdict' | 'truth'>): Bar[] {
  const inDoubt = Object.entries(truth.parked).filter(([name]) => name.startsWith('unknown-outcome'));
  return [
    none('lost', audit.lost.length),
    none('duplicate effects', sum(audit.duplicates)),
    none('effects that nobody asked for', audit.foreign.length),
    bar('left to a person', sum(Object.fromEntries(inDoubt)), true),
    ...retailersBars(verdict),
  ];
}

function runBars({ seconds: runSeconds, rest, fleet, truth }: Judged): Bar[] {
  const { isAtRest, seconds, workedSeconds, waited, outcomesSeconds } = rest;
  const waits = waited > 0 ? `; ${waited} lanes waited for longer, at rest after ${seconds} s` : '';
  const isDrained = isAtRest && workedSeconds !== null && workedSeconds <= drainedSecondsMax;
  const told = outcomesSeconds === null ? 'no' : `${outcomesSeconds} s later`;
  const ends = fleet.ends.map((end) => end?.code ?? end?.signal ?? '-').join(' ');
  return [
    {
      ...bar(
        `nothing due within ${drainedSecondsMax} s of healing`,
        isAtRest ? `${workedSeconds ?? '?'} s${waits}` : 'never at rest',
        isDrained,
      ),
      decides: !isAtRest || runSeconds >= drainJudgedSeconds,
    },
    bar('all outcomes told', told, outcomesSeconds !== null),
    none('given up without a doubt', gaveUp(truth.parked)),
    none('daemons that died by themselves', fleet.diedByThemselves.length),
    bar(
      'all stopped with 0',
      ends,
      fleet.ends.every((end) => end?.code === 0),
    ),
  ];
}

/** They decide in a full run only. */
function sizeBars({ seconds, faults, events, kafka }: Judged): Bar[] {
  const missed = faults.notReached.length;
  const kills = faults.killsInDoubt.length;
  const bars = [
    bar('every kind of fault at least once', `${missed} missed`, missed === 0),
    bar(`kill x commit-then-drop at least ${killsInDoubtMin} times`, kills, kills >= killsInDoubtMin),
    bar(`${eventsMin.toLocaleString('en-US')} events`, events.acknowledged, events.acknowledged >= eventsMin),
    bar('a real Kafka', kafka.version, kafka.isReal),
  ];
  return bars.map((each) => ({ ...each, decides: seconds >= fullRunSeconds }));
}

/** What a run must reach. */
export function barsOf(judged: Judged): Bar[] {
  return [...effectBars(judged), ...runBars(judged), ...sizeBars(judged)];
}
