import { StandardSchemaValidationPipe } from '@nestjs/common';
import { Refusal } from './refusal.js';

/** Enough to mend a request by; a body full of wrong names would come back whole otherwise. */
const messageCharsMax = 1_000;

/** Refuses a body or query that does not fit its schema: 400 with every wrong path in one message. */
export function createValidationPipe(): StandardSchemaValidationPipe {
  return new StrictValidationPipe({
    exceptionFactory: (issues) => new Refusal(400, { message: shorten(issues.map(describeIssue).join('; ')) }),
  });
}

/** Nest would take properties like `constructor` away in silence; here they are unknown ones, or kept as data. */
class StrictValidationPipe extends StandardSchemaValidationPipe {
  protected override stripProtoKeys(): void {
    // The JSON parser refuses what could do harm.
  }
}

function shorten(message: string): string {
  return message.length <= messageCharsMax ? message : `${message.slice(0, messageCharsMax)}...`;
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

function describeIssue(issue: Issue): string {
  const path = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
