export interface ProblemOptions {
  readonly status: number;
  /** Stable, for programs. */
  readonly code: string;
  /** The same for all problems of that code. */
  readonly title: string;
  /** What is wrong this time, for people. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an answer with `application/problem+json` holds (RFC 9457). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
}

/** A request that is refused, with the reason that the caller is told. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(readonly options: ProblemOptions) {
    super(options.detail ?? options.title);
  }

  get document(): ProblemDocument {
    const { status, code, title, detail } = this.options;
    return { type: `urn:loyaltyd:problem:${code}`, title, status, ...(detail === undefined ? {} : { detail }) };
  }
}
