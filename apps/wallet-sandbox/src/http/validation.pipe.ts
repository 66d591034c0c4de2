import { StandardSchemaValidationPipe } from '@nestjs/common';
import { Refusal } from './refusal.js';

/** Refuses a body or query that does not fit its schema: 400 with every wrong path in one message. */
export function createValidationPipe(): StandardSchemaValidationPipe {
  return new StandardSchemaValidationPipe({
    exceptionFactory: (issues) => new Refusal(400, { message: issues.map(describeIssue).join('; ') }),
  });
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

function describeIssue(issue: Issue): string {
  const path = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
