import { wordings } from '../contract/wordings.js';
import { InvalidRequest } from './refusal.js';

const issues = [
  { path: ['passdata', 'points'], message: 'must be a number' },
  { path: [], message: 'Unrecognized key: "colour"' },
];

it('names every wrong path', () => {
  expect(new InvalidRequest(issues).message).toBe('passdata.points: must be a number; Unrecognized key: "colour"');
});

it.each(wordings.map((wording) => ({ name: wording.name, wording })))('is worded $name', ({ wording }) => {
  const said = new InvalidRequest(issues).say(wording);
  expect(said).toContain('passdata.points');
  expect(said).toBe(
    wording.frame(
      `${wording.invalid('passdata.points', 'must be a number')}; ${wording.invalidRequest('Unrecognized key: "colour"')}`,
    ),
  );
});

it('does not grow with what it refuses', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => ({
    path: [index, 'x'.repeat(10_000)],
    message: 'y'.repeat(10_000),
  }));
  expect(new InvalidRequest(many).message.length).toBeLessThan(25_000);
});
