import type { Seen } from '../interpreter/contract-client.js';

export interface PlainRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const answerMsMax = 15_000;

/** One request, never repeated, redirects not followed. An answer that is no JSON is a problem where it is a success. */
export async function send({ url, method, headers, body }: PlainRequest): Promise<Seen> {
  const signal = AbortSignal.timeout(answerMsMax);
  try {
    const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
    const parsed = parse(await response.text());
    const isReadable = parsed !== undefined || !response.ok;
    return { status: response.status, body: parsed, problems: isReadable ? [] : ['the answer is no JSON'] };
  } catch (error) {
    return { status: null, body: undefined, problems: [`no answer: ${reasonOf(error)}`] };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** `fetch` hides why under `cause`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return typeof cause?.code === 'string' ? cause.code : message;
}
