import { valuesNote } from './values-note.js';

const one = { value: 'lisboa', intents: 3, wording: null };

it.each([
  [{ items: [one], more: 0, isExact: true, countedOf: 3 }, ''],
  [{ items: [], more: 0, isExact: true, countedOf: 3 }, 'None has one'],
  [{ items: [one], more: 1_200, isExact: true, countedOf: 9_000 }, '1,200 more: type a part of one'],
  [{ items: [one], more: 0, isExact: false, countedOf: 3_000 }, 'counted in the newest 3,000'],
  [{ items: [], more: 0, isExact: false, countedOf: 0 }, 'None has one; counted in the newest 0'],
])('says of what values were counted, and what is left out: %j', (values, note) => {
  expect(valuesNote(values)).toBe(note);
});
