/** A refusal of the operations API (RFC 9457), or that there was no answer at all. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** 0: no answer came. */
  readonly status: number;
  /** Stable, such as `in-doubt`; `no-answer` where none came. */
  readonly code: string;
  readonly title: string;
  readonly detail: string | null;
  /** As in the daemon's log and the audit. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(parts: Omit<ApiProblem, 'name' | 'message' | 'stack' | 'cause'>) {
    super(parts.detail ?? parts.title);
    this.status = parts.status;
    this.code = parts.code;
    this.title = parts.title;
    this.detail = parts.detail;
    this.requestId = parts.requestId;
    this.retryAfterSeconds = parts.retryAfterSeconds;
  }
}

interface ProblemDocument {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly detail?: unknown;
}

const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' ? value : otherwise);

function secondsOf(header: string | null): number | null {
  const seconds = Number(header ?? NaN);
  return Number.isFinite(seconds) ? seconds : null;
}

/** Proxies answer with pages of their own: whatever came, it becomes a problem. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const document = (await response.json().catch(() => ({}))) as ProblemDocument | null;
  const { type, title, detail } = document ?? {};
  const code = textOr(type, '').split(':').at(-1) ?? '';
  return new ApiProblem({
    status: response.status,
    code: code === '' ? `http-${response.status}` : code,
    title: textOr(title, `The answer was ${response.status}`),
    detail: textOr(detail, null),
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
  });
}

/** @param isRead what only reads needs no thought whether it was received */
export function noAnswer({ isRead }: { readonly isRead: boolean }): ApiProblem {
  return new ApiProblem({
    status: 0,
    code: 'no-answer',
    title: 'No answer',
    detail: `The daemon could not be reached.${isRead ? '' : ' Whether it received the request is not known.'}`,
    requestId: null,
    retryAfterSeconds: null,
  });
}
