import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

import { answerLimits, AnswersUnderWay } from './answers-under-way.js';

class Response extends EventEmitter {
  closed = false;

  destroy(): this {
    this.closed = true;
    this.emit('close');
    return this;
  }
}

describe('answers that are not taken yet', () => {
  let responses: Response[];
  let answers: AnswersUnderWay;

  beforeEach(() => {
    responses = [];
    answers = new AnswersUnderWay({ ...answerLimits, bytesWithoutTokenMax: 100, bytesPerTokenMax: 100 });
  });

  afterEach(() => {
    for (const response of responses) response.destroy();
  });

  const add = (token: string | null, bytes: number): Response => {
    const response = new Response();
    responses.push(response);
    answers.add(token, { bytes, response: response as unknown as ServerResponse });
    return response;
  };
  const left = (): number[] => responses.flatMap(({ closed }, at) => (closed ? [] : [at]));

  it('give up the oldest ones without a token until they fit, but the last one', () => {
    for (const bytes of [40, 40, 20]) add(null, bytes);
    expect(left()).toEqual([0, 1, 2]);
    add(null, 30);
    expect(left()).toEqual([1, 2, 3]);
    add(null, 1_000);
    expect(left()).toEqual([4]);
    add(null, 1);
    expect(left()).toEqual([5]);
  });

  it('have no room for more with a token, unless nothing else of it is under way; other tokens have theirs', () => {
    expect(answers.fits('ada', 1_000)).toBe(true);
    add('ada', 60);
    expect([answers.fits('ada', 40), answers.fits('ada', 41), answers.fits('bob', 41)]).toEqual([true, false, true]);
    add('ada', 40);
    expect(answers.fits('ada', 1)).toBe(false);
    expect(left()).toEqual([0, 1]);
  });

  it.each(['finish', 'close'])('give their room back once, at %s', (event) => {
    const taken = add('ada', 100);
    add(null, 100);
    taken.emit(event);
    taken.emit('close');
    expect(answers.fits('ada', 100)).toBe(true);
    add('ada', 100);
    expect(answers.fits('ada', 1)).toBe(false);
  });

  it('are none where the client has left already', () => {
    const response = new Response().destroy();
    answers.add('ada', { bytes: 100, response: response as unknown as ServerResponse });
    expect(answers.fits('ada', 100)).toBe(true);
  });
});
