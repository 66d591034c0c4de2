import type { Bar } from '../../chaos/report.js';
import { bar, effectBars, none, sum } from '../../verdict/bars.js';
import type { SoakFindings } from '../report.js';
import type { Growth } from './judge-watches.js';

/** A run of at least so long must show that memory is flat, on a real Kafka. */
const fullRunMinutes = 12;
/** The last quarter by the second. */
const memoryRatioMax = 1.1;
/** What leaks grows without an end. */
const descriptorsRatioMax = 1.25;
/** Longer than any lease, any backoff of ours and any rebalance of the consumer group. */
const stallSecondsMax = 60;

function restartBars({ restarts, rounds, daemons, fleet }: SoakFindings): Bar[] {
  const ends = fleet.ends.map((end) => end?.code ?? end?.signal ?? '-').join(' ');
  const wanted = rounds * daemons;
  return [
    bar(`every daemon restarted every minute: ${wanted}`, restarts.length, restarts.length === wanted),
    none('restarts that did not end with 0', restarts.filter(({ end }) => end !== '0').length),
    none('starts that failed', fleet.startsFailed),
    none('daemons that died by themselves', fleet.diedByThemselves.length),
    bar(
      'all stopped with 0',
      ends,
      fleet.ends.every((end) => end?.code === 0),
    ),
  ];
}

function quietBars({ rest, longestStall, notInjected, lines, looksFailed }: SoakFindings): Bar[] {
  const told = rest.outcomesSeconds === null ? 'no' : `${rest.outcomesSeconds} s later`;
  return [
    bar('everything came to rest', rest.isAtRest ? `${rest.seconds} s` : JSON.stringify(rest.left), rest.isAtRest),
    bar('all outcomes told', told, rest.outcomesSeconds !== null),
    none('operations paused by the daemons', rest.pausesLifted.length),
    none('unknown outcomes while the partner was well', notInjected.unknowns.length),
    none('parked, and not because of what was done', sum(notInjected.parked)),
    none('warnings and errors that nobody brought about', lines.unexpected.length),
    none('looks that failed', looksFailed),
    bar(`no stall longer than ${stallSecondsMax} s`, `${longestStall} s`, longestStall <= stallSecondsMax),
  ];
}

interface Flat {
  readonly what: string;
  readonly growths: readonly Growth[];
  readonly max: number;
}

function flatBars({ what, growths, max }: Flat, isLong: boolean): Bar[] {
  return growths.map(({ process, by, ratio }) => {
    const text = `${what} of ${process} (by ${by}), last quarter <= ${max} x the second`;
    return { text, reached: String(ratio ?? 'not known'), holds: ratio !== null && ratio <= max, decides: isLong };
  });
}

/** The partner's stand-in has no limit of memory, and fills what it gets before it collects: shown, not judged. */
function isOurs({ process }: Growth): boolean {
  return process !== 'sandbox';
}

function longBars({ minutes, memory, descriptors, kafka }: SoakFindings): Bar[] {
  const isLong = minutes >= fullRunMinutes;
  return [
    ...flatBars({ what: 'memory', growths: memory.filter(isOurs), max: memoryRatioMax }, isLong),
    ...flatBars({ what: 'descriptors', growths: descriptors.filter(isOurs), max: descriptorsRatioMax }, isLong),
    { ...bar('memory was seen', memory.length, memory.length > 0), decides: isLong },
    { ...bar('a real Kafka', kafka.version, kafka.isReal), decides: isLong },
  ];
}

/** What a run must reach. */
export function barsOf(findings: SoakFindings): Bar[] {
  const leftBars = Object.entries(findings.leftovers).map(([what, count]) => none(`left behind: ${what}`, count));
  return [
    ...effectBars(findings),
    ...restartBars(findings),
    ...quietBars(findings),
    ...leftBars,
    ...longBars(findings),
  ];
}
