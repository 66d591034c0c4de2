import { createRequire } from 'node:module';

const jest = createRequire(createRequire(import.meta.url).resolve('jest'));
const { default: Sequencer } = createRequire(jest.resolve('@jest/core'))('@jest/test-sequencer');

/** Of jest.config.js: a minute each, some seconds, no second. */
const costs = ['unit', 'int', 'e2e', 'story', 'sim'];
const costOf = ({ context }) => costs.indexOf(context.config.displayName.name);

/**
 * Where nobody has measured how long each file takes, as in a fresh clone, jest begins with the largest, and a small one of
 * minutes may come last and alone: the suffix tells more.
 */
export default class CostlyFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((one, other) => costOf(other) - costOf(one));
  }
}
