import { absoluteText } from './time-words.js';

const dayChars = 10;
const secondChars = 19;
const minuteChars = 16;
const minuteS = 60;
/** How far apart the middles of two dates must be, so that they do not run into each other. */
const datePxMin = 72;

/** Half of the widest text below a chart: so much room there must be beside the last time. */
export const timeEdgePx = 36;
/** Between two marks: as wide as a date. */
export const timeSpacePx = 80;

export interface TimeMark {
  /** Epoch seconds. */
  readonly at: number;
  /** Where it is drawn, from the left. */
  readonly px: number;
}

/** Which marks begin a day, or the chart; where two such stand too close to each other, the later one is it. */
function datedOf(days: readonly string[], marks: readonly TimeMark[]): ReadonlySet<number> {
  const first = days.flatMap((day, index) => (day === days[index - 1] ? [] : [index]));
  const isFree = (index: number, turn: number): boolean => {
    const next = first[turn + 1];
    return next === undefined || (marks[next]?.px ?? 0) - (marks[index]?.px ?? 0) >= datePxMin;
  };
  return new Set(first.filter(isFree));
}

/** What is written below each mark: the time, and the day below the first mark of it. */
export function timeMarkTexts(marks: readonly TimeMark[], timeZone: 'local' | 'utc'): readonly string[] {
  const [first, second] = marks;
  const stepS = first === undefined || second === undefined ? minuteS : second.at - first.at;
  const texts = marks.map(({ at }) => absoluteText(at * 1_000, timeZone));
  const days = texts.map((text) => text.slice(0, dayChars));
  const dated = datedOf(days, marks);
  return texts.map((text, index) => {
    const time = text.slice(dayChars + 1, stepS < minuteS ? secondChars : minuteChars);
    return dated.has(index) ? `${time}\n${days[index] ?? ''}` : time;
  });
}
