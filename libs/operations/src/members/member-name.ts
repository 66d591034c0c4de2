import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';

import { ApiProblem } from '../problems/api-problem.js';
import { decodedPart } from '../requests/decoded-part.js';
import { rawPart } from '../requests/raw-path.js';

export interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

/** The member that the path names; `fromEnd`: where its id stands, counted from the end. */
export const MemberInPath = createParamDecorator((fromEnd: number, context: ExecutionContext): MemberName => {
  const part = (at: number): string => decodedPart(rawPart(context, at)) ?? '';
  return { program: part(fromEnd - 1), memberId: part(fromEnd) };
});

export function noSuchMember(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-member', title: 'There is no such member' });
}
