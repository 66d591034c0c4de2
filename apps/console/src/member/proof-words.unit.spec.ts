import { proofText } from './proof-words.js';

const points = { before: 120, now: 132, delta: 12 };
const none = { before: null, now: null, delta: null };

it('says what an answer proves, with the points that do', () => {
  expect(proofText({ verdict: 'applied', evidence: 'points', why: null, points })).toEqual({
    tone: 'good',
    title: 'The partner’s answer proves that it took effect',
    words:
      'Points before the attempt: 120; now: 132; it adds 12. They moved by exactly what it adds or takes, and nothing else can have moved them.',
  });
  const absent = proofText({ verdict: 'not-applied', evidence: 'lookup-and-listing', why: null, points: none });
  expect(absent).toMatchObject({ tone: 'calm', words: expect.stringMatching(/^Neither a look-up/) as string });
});

it('never reads as proof where there is none', () => {
  const unread = { before: null, now: 0, delta: -10 };
  expect(proofText({ verdict: 'nothing', evidence: null, why: 'not-read-before', points: unread })).toMatchObject({
    tone: 'doubt',
    words: expect.stringMatching(/^Points before the attempt: not known; now: 0; it takes 10\. What/) as string,
  });
});
