import { HttpException } from '@nestjs/common';
import type { Wording } from '../contract/wordings.js';
import { Refusal } from './refusal.js';

/**
 * How the answer's bytes reach the caller. `dropped`: the connection ends without any; `cut`: in the body's middle;
 * slow ones trickle over `ms`; an `oversized` body is padded to `bytes`.
 */
export type Wire = 'whole' | 'dropped' | 'cut' | 'slow-headers' | 'slow-body' | 'oversized';

/** An answer before it is written; fault kinds replace or damage it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly wire: Wire;
  readonly ms?: number;
  readonly bytes?: number;
}

/** The connection ends without an answer. */
export const droppedAnswer: Answer = { status: 0, headers: {}, body: '', wire: 'dropped' };

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
    wire: 'whole',
  };
}

/** The answer with some of it changed; a connection that is broken stays broken, whatever strikes it further. */
export function changeAnswer(answer: Answer, changes: Partial<Answer>): Answer {
  return answer.wire === 'dropped' ? answer : { ...answer, ...changes };
}

/** `{message}` for whatever went wrong, a refusal's as the wording has it; details of a defect stay in the log. */
export function errorAnswer(error: unknown, wording?: Wording): Answer {
  if (error instanceof Refusal) {
    const message = wording === undefined ? error.message : error.say(wording);
    return jsonAnswer(error.status, { ...error.body, message });
  }
  const status = statusOf(error);
  if (status < 500 && error instanceof Error) return jsonAnswer(status, { message: error.message });
  return jsonAnswer(status, { message: 'Internal error' });
}

/** True for errors that are nobody's request: worth a log line. */
export function isDefect(error: unknown): boolean {
  return !(error instanceof Refusal) && statusOf(error) >= 500;
}

/** Nest and Fastify carry the status in different places. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 ? error.statusCode : 500;
}
