import { setTimeout as delay } from 'node:timers/promises';

import type { ContractClient, ResolvedStep, Seen } from './interpreter/contract-client.js';
import { wireRequest } from './interpreter/contract-client.js';
import type { Names } from './interpreter/names.js';
import { NotRun, valueAt } from './interpreter/names.js';
import type { Specification } from './specification.js';

interface PlainRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const answerMsMax = 120_000;

/** One request, never repeated, redirects not followed. An answer that is no JSON is a problem where it is a success. */
async function send({ url, method, headers, body }: PlainRequest): Promise<Seen> {
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

interface TokenAccess {
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** How long a step that needs an expired token may wait for one. */
  readonly tokenExpiryWaitMs: number;
}

interface HeldToken {
  readonly value: string;
  /** A quarter before it expires. */
  readonly freshUntil: number;
}

/** Beyond what the answer promised, so that both clocks agree that it has expired. */
const expiryMarginMs = 1_200;

/** Client credentials by the letter of section 5. */
class PlainTokens {
  private held: Promise<HeldToken> | null = null;

  constructor(private readonly access: TokenAccess) {}

  async forStep(kind: ResolvedStep['token']): Promise<string | null> {
    switch (kind) {
      case undefined:
        return this.fresh();
      case 'none':
        return null;
      case 'wrong':
        return 'ct-wrong-token';
      case 'expired':
        return this.expired();
      default:
        return kind satisfies never;
    }
  }

  /** @param form fields that differ from the right ones; null leaves one out */
  request(form: Readonly<Record<string, string | null>>): Promise<Seen> {
    const { authUrl, clientId, clientSecret, scope } = this.access;
    const right = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries<string | null>({ ...right, ...form })) {
      if (value !== null) fields.set(name, value);
    }
    return send({
      url: `${authUrl}/oauth2/token`,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: fields.toString(),
    });
  }

  async renewed(): Promise<string> {
    return (await (this.held = this.obtain())).value;
  }

  private async fresh(): Promise<string> {
    const held = await (this.held ??= this.obtain());
    return held.freshUntil > Date.now() ? held.value : this.renewed();
  }

  private async obtain(): Promise<HeldToken> {
    const askedAt = Date.now();
    const seen = await this.request({});
    const value = valueAt(seen.body, 'access_token');
    if (typeof value !== 'string') throw new Error(`no token: status ${seen.status ?? 'none'} ${seen.problems.join()}`);
    const lifetimeMs = Number(valueAt(seen.body, 'expires_in') ?? 60) * 1_000;
    return { value, freshUntil: askedAt + lifetimeMs * 0.75 };
  }

  private async expired(): Promise<string> {
    // Our own sandbox gives one that expires soon to who asks for it; others take no notice of the field.
    const { body } = await this.request({ expires_in: '1' });
    const waitMs = Number(valueAt(body, 'expires_in')) * 1_000 + expiryMarginMs;
    const { tokenExpiryWaitMs } = this.access;
    if (!(waitMs <= tokenExpiryWaitMs)) {
      throw new NotRun(`a token lives for ${waitMs - expiryMarginMs} ms; the setup's tokenExpiryWaitMs is shorter`);
    }
    await delay(waitMs);
    return String(valueAt(body, 'access_token'));
  }
}

interface PlainClientOptions extends TokenAccess {
  readonly baseUrl: string;
  readonly calls: Specification['calls'];
  readonly names: Names;
}

/** Says what a caller with nothing but the document would say; imports no library of ours. */
export class PlainClient implements ContractClient {
  readonly name = 'plain';
  private readonly tokens: PlainTokens;

  constructor(private readonly options: PlainClientOptions) {
    this.tokens = new PlainTokens(options);
  }

  async perform(step: ResolvedStep): Promise<Seen> {
    if (step.call === 'token') return this.tokens.request(step.form ?? {});
    const { baseUrl, calls, names } = this.options;
    const { method, path, query, body } = wireRequest(step, calls, names);
    const parameters = new URLSearchParams(query).toString();
    const url = `${baseUrl}${path}${parameters === '' ? '' : `?${parameters}`}`;
    const sent = body === undefined ? null : JSON.stringify(body);
    const sendWith = (token: string | null): Promise<Seen> => {
      const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
      const contentType = sent === null ? {} : { 'content-type': 'application/json' };
      return send({
        url,
        method,
        headers: { accept: 'application/json', ...authorization, ...contentType },
        body: sent,
      });
    };
    const seen = await sendWith(await this.tokens.forStep(step.token));
    // A good token may have expired on the way: on a busy machine a lifetime of seconds is short.
    return seen.status === 401 && step.token === undefined ? sendWith(await this.tokens.renewed()) : seen;
  }

  spell(expected: unknown): unknown {
    return this.options.names.spell(expected);
  }

  observe(): Promise<unknown> {
    throw new Error('plain HTTP hides nothing that would have to be observed');
  }

  async close(): Promise<void> {
    // `fetch` keeps its connections for all clients of the process.
  }
}
