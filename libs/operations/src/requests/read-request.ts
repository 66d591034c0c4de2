import { z } from 'zod';

import { ApiProblem } from '../problems/api-problem.js';

function invalid(detail: string): ApiProblem {
  return new ApiProblem({
    status: 400,
    code: 'invalid-request',
    title: 'The request does not say what it should',
    detail,
  });
}

/** What a request says, as its schema has it. @throws {ApiProblem} that names what is wrong, and quotes no values */
export function readRequest<S extends z.ZodType>(schema: S, sent: unknown): z.output<S> {
  const read = schema.safeParse(sent ?? {});
  if (read.success) return read.data;
  throw invalid(z.prettifyError(read.error));
}

/** @throws {ApiProblem} */
export function refuseRequest(detail: string): never {
  throw invalid(detail);
}

const idPattern = /^[1-9]\d{0,15}$/;

/** A number that names something. @throws {ApiProblem} */
export function idInPath(text: string, what: string): number {
  return idPattern.test(text) ? Number(text) : refuseRequest(`${what}: not one of ours`);
}
