import type { Wording } from '../contract/wordings.js';

/** The partner says no: answered with `status` and `body`, nothing has taken effect (partner-api.md section 7). */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';

  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>> & { readonly message: string },
  ) {
    super(body.message);
  }

  /** The message as a wording has it. */
  say(wording: Wording): string {
    return wording.frame(this.message);
  }
}

/** Throws a refusal with the documented error body. */
export function refuse(status: number, message: string): never {
  throw new Refusal(status, { message });
}

/** Enough to mend a request by; a body full of wrong names would come back whole otherwise. */
const problemsMax = 20;
const problemCharsMax = 500;

/** What a schema finds wrong, as every Standard Schema library says it. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface Problem {
  /** `person.email`; empty: of the whole. */
  readonly path: string;
  readonly text: string;
}

/** A body or query that does not fit its schema: 400 with every wrong path in one message. */
export class InvalidRequest extends Refusal {
  override readonly name = 'InvalidRequest';
  private readonly problems: readonly Problem[];

  constructor(issues: readonly Issue[]) {
    const problems = issues.slice(0, problemsMax).map(toProblem);
    super(400, { message: problems.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`)).join('; ') });
    this.problems = problems;
  }

  override say(wording: Wording): string {
    const texts = this.problems.map(({ path, text }) =>
      path === '' ? wording.invalidRequest(text) : wording.invalid(path, text),
    );
    return wording.frame(texts.join('; '));
  }
}

/** Refuses an unknown name, as the schemas word it. */
export function refuseName(name: string): never {
  throw new InvalidRequest([{ message: `Unrecognized key: ${JSON.stringify(name)}` }]);
}

function toProblem(issue: Issue): Problem {
  const path = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return { path: shorten(path), text: shorten(issue.message) };
}

function shorten(text: string): string {
  return text.length <= problemCharsMax ? text : `${text.slice(0, problemCharsMax)}...`;
}
