import { mistakes, search } from './move-model.js';
import type { Mistake } from './move-model.js';

const walks = 6_000;

/** What each mistake leads to. */
const found: Readonly<Record<Mistake, readonly string[]>> = {
  'claim-and-begin-unchecked': ['two senders'],
  'begin-unchecked': ['two senders', 'doubled'],
  'given-before-fenced': ['two senders'],
  'released-undrained': ['two senders'],
  'copy-unfenced': ['doubled'],
  'assigned-to-any': ['stands still'],
  'recorded-by-any': ['doubled'],
  'lost-without-doubt': ['doubled'],
};

describe('a move of a partition between databases', () => {
  it('has one sender at each step, in order, and comes to its end, whatever is interleaved', () => {
    expect(search(walks)).toBeNull();
  });

  it.each(mistakes)('is not so where a rule is missing: %s', (mistake) => {
    expect(search(walks, mistake, (what) => found[mistake].includes(what))).not.toBeNull();
  });
});
