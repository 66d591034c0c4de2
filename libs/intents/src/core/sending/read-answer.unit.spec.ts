import type { AttemptOutcome } from '../delivery/classify-outcome.js';
import { begun, lost, recordedAt, rejected, unknown } from '../intent/testing/samples.js';
import type { Operation } from '../operation.js';
import { decideAnswer, meaningForAll, passAnswered, requeuedOutcome } from './next-step.js';
import type { Sending } from './next-step.js';
import { owed } from './testing/given.js';

const sent = (operation: Operation = 'transaction'): Sending => owed(operation, { since: [begun(1)] });

function eventsAfter(outcome: AttemptOutcome, sending = sent(), attempt = 1): ReturnType<typeof decideAnswer> {
  return decideAnswer(sending, { attempt, outcome }, 0.5);
}

describe('what an answer shows about the configuration of its operation', () => {
  const meaning = (outcome: AttemptOutcome, sending = sent(), attempt = 1): AttemptOutcome | null =>
    meaningForAll(outcome, eventsAfter(outcome, sending, attempt));

  it('is the outcome itself where it is no refusal', () => {
    expect(meaning({ kind: 'applied' })).toEqual({ kind: 'applied' });
    expect(meaning(unknown)).toEqual(unknown);
  });

  it('is the refusal where the intent parks for it', () => {
    expect(meaning(rejected('refused'))).toEqual(rejected('refused'));
  });

  it('is a success where the refusal proves that an earlier attempt was applied', () => {
    const doubted = owed('transaction', {
      since: [...lost(1), { type: 'ResendDecided', at: recordedAt, attempt: 1, basis: 'unique-attribute' }, begun(2)],
      policy: { resolution: 'resend-unique' },
    });
    expect(meaning(rejected('duplicate'), doubted, 2)).toEqual({ kind: 'applied' });
  });

  it('is nothing where the intent does not end by the refusal', () => {
    expect(meaning(rejected('duplicate'), sent('issue'))).toBeNull();
  });
});

describe('a refusal that meets every member', () => {
  it('is taken as if the partner had not been asked: the intent comes back, and no try is used up', () => {
    const requeued = requeuedOutcome(sent(), rejected('refused'))!;
    expect(requeued).toMatchObject({ kind: 'not-applied', code: 'refused', answered: false, systemic: true });
    expect(eventsAfter(requeued)).toMatchObject([{ type: 'AttemptNotApplied', answered: false }]);
  });

  it('parks where an earlier attempt is in doubt, and what may have taken effect is never requeued', () => {
    const doubted = owed('transaction', { since: [...lost(1), begun(2)] });
    expect(requeuedOutcome(doubted, rejected('refused'))).toBeNull();
    expect(requeuedOutcome(sent(), unknown)).toBeNull();
    expect(requeuedOutcome(sent(), { kind: 'applied' })).toBeNull();
  });
});

it('an outcome of an attempt that is not open is a defect', () => {
  expect(() => eventsAfter({ kind: 'applied' }, owed('transaction'))).toThrow('ignored');
});

it('only an enrolment is answered with a pass that is taken as its own', () => {
  const answered = { outcome: { kind: 'applied' }, value: { passId: 7 } } as const;
  expect(passAnswered({ operation: 'issue' }, answered)).toBe(answered.value);
  expect(passAnswered({ operation: 'issue-via-workflow' }, answered)).toBe(answered.value);
  expect(passAnswered({ operation: 'reward' }, answered)).toBeNull();
  expect(passAnswered({ operation: 'issue' }, { outcome: unknown, value: {} })).toBeNull();
  expect(passAnswered({ operation: 'issue' }, { ...answered, value: null })).toBeNull();
});

it('what took effect on a pass that is no card any more is done, and nothing else goes there', () => {
  const answer = { attempt: 1, showsDeadPass: true } as const;
  const types = (outcome: AttemptOutcome): string[] =>
    decideAnswer(sent('reward'), { ...answer, outcome }, 0.5).map(({ type }) => type);
  expect(types({ kind: 'applied' })).toEqual(['AttemptApplied', 'PassAbsent']);
  expect(types(unknown)).not.toContain('PassAbsent');
});
