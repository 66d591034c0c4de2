/** One thing that is wrong with what was sent: a path into it and a rule, never a value. */
export interface ProblemDetail {
  readonly path: string;
  readonly rule: string;
}

export interface ProblemOptions {
  readonly status: number;
  /** Stable, for programs. */
  readonly code: string;
  /** The same for all problems of that code. */
  readonly title: string;
  /** What is wrong this time, for people. */
  readonly detail?: string;
  readonly errors?: readonly ProblemDetail[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an answer with `application/problem+json` holds (RFC 9457). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly errors?: readonly ProblemDetail[];
}

/** A request that is refused, with the reason that the caller is told. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(readonly options: ProblemOptions) {
    super(options.detail ?? options.title);
  }

  get document(): ProblemDocument {
    const { status, code, title, detail, errors } = this.options;
    const more = { ...(detail === undefined ? {} : { detail }), ...(errors === undefined ? {} : { errors }) };
    return { type: `urn:loyaltyd:problem:${code}`, title, status, ...more };
  }
}
