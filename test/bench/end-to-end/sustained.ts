/** One try of a rate. */
interface Tried {
  readonly holds: boolean;
}

interface Search {
  /** A rate that surely holds, and one that surely does not. */
  readonly low: number;
  readonly high: number;
  /** Short tries. */
  readonly steps: number;
}

/** What holds for a short while may not hold for long: then a little less is tried. */
const lessEachTime = 0.85;
const wholeTriesMax = 8;

/**
 * The highest rate that holds: bisected in short tries, then shown over a whole window.
 * @param hold tries a rate
 * @throws when none holds
 */
export const findSustained = async <Result extends Tried>(
  hold: (rate: number, isWhole: boolean) => Promise<Result>,
  { low, high, steps }: Search,
): Promise<Result> => {
  let [holding, failing] = [low, high];
  for (let step = 0; step < steps; step += 1) {
    const rate = (holding + failing) / 2;
    if ((await hold(rate, false)).holds) holding = rate;
    else failing = rate;
  }
  for (let tries = 0; tries < wholeTriesMax; tries += 1) {
    const result = await hold(holding, true);
    if (result.holds) return result;
    holding *= lessEachTime;
  }
  throw new Error(`no rate down to ${Math.round(holding)} a second holds`);
};
