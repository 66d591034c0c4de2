import type { RawAnswer } from './answer-reader.js';

export interface LoopResult {
  readonly latenciesMs: number[];
  /** From the first request to the last answer. */
  readonly seconds: number;
}

/** @throws for any answer but 200: a rate of refusals is no rate */
export const expectOk = ({ status, body }: RawAnswer, request: string): void => {
  if (status === 200) return;
  throw new Error(`${request.slice(0, request.indexOf('\r\n'))} was answered with ${status}: ${body.slice(0, 500)}`);
};
