/** Lines shown around a change. */
const contextLines = 2;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Lengths of the longest common subsequences of all pairs of tails. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i]![j] =
        before[i] === after[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}

type Texts = readonly string[];

/** The mark of the next line when both texts have been walked up to `i` and `j`. */
function nextMark(
  texts: { readonly before: Texts; readonly after: Texts },
  lengths: number[][],
  at: readonly [number, number],
): Line['mark'] {
  const { before, after } = texts;
  const [i, j] = at;
  if (i === before.length) return '+';
  if (j === after.length) return '-';
  if (before[i] === after[j]) return ' ';
  return lengths[i + 1]![j]! >= lengths[i]![j + 1]! ? '-' : '+';
}

function align(before: Texts, after: Texts): Line[] {
  const lengths = commonLengths(before, after);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const mark = nextMark({ before, after }, lengths, [i, j]);
    lines.push({ mark, text: mark === '-' ? before[i]! : after[j]! });
    if (mark !== '+') i += 1;
    if (mark !== '-') j += 1;
  }
  return lines;
}

/** What changed between two texts, line by line, with a little context; empty when they are the same. */
export function lineDifference(before: string, after: string): string {
  if (before === after) return '';
  const lines = align(before.split('\n'), after.split('\n'));
  const isNear = lines.map((_line, at) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ mark }) => mark !== ' '),
  );
  return lines
    .flatMap(({ mark, text }, at) => {
      if (!isNear[at]) return [];
      return at > 0 && !isNear[at - 1] ? ['...', `${mark} ${text}`] : [`${mark} ${text}`];
    })
    .join('\n');
}
