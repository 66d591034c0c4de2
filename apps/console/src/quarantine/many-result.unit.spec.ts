import { addPart, resultWords } from './many-result.js';

const failure = { id: 1, detail: 'invalid: data.total' };
const first = { done: 400, failed: 1, skipped: 0, remaining: 1_300, failures: [failure] };

it('adds parts up; what remains is what the last one says', () => {
  const second = { done: 200, failed: 0, skipped: 2, remaining: 0, failures: [] };
  expect(addPart(first, second)).toEqual({ done: 600, failed: 1, skipped: 2, remaining: 0, failures: [failure] });
});

it('says what became of them', () => {
  expect(resultWords(first, 'resubmit')).toBe('400 were taken in, 1 stay refused, 1,300 not tried');
  expect(resultWords({ ...first, failed: 0, remaining: 0 }, 'discard')).toBe('400 were given up');
});
