import type { OtherRequest } from './others.js';

interface OtherClientOptions {
  /** Base of the partner's token endpoint and of its brands: `http://host:port`. */
  readonly url: string;
  readonly clientId: string;
  /** As it is now: it may be changed meanwhile. */
  readonly clientSecret: () => string;
}

const requestMsMax = 2_000;
/** What comes beyond so many calls under way is left out: a partner in trouble must not hold up the shop. */
const underWayMax = 8;

/**
 * Posts what other systems do to a partner that really listens. Whatever becomes of it, the partner's ledger tells: no
 * answer is looked at.
 */
export class OtherClient {
  private readonly underWay = new Set<Promise<void>>();
  private token: string | null = null;

  constructor(private readonly options: OtherClientOptions) {}

  /** Resolves when it was answered, or is given up. Never rejects. */
  post(request: OtherRequest): Promise<void> {
    if (this.underWay.size >= underWayMax) return Promise.resolve();
    const posting = this.send(request).catch(() => undefined);
    this.underWay.add(posting);
    return posting.finally(() => this.underWay.delete(posting));
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private async send({ method, path, body, onlyWhere, requestId }: OtherRequest): Promise<void> {
    if (onlyWhere !== undefined && !(await this.call(onlyWhere, { method: 'GET' }, requestId))) return;
    await this.call(path, { method, body: JSON.stringify(body) }, requestId);
  }

  /** @returns whether it was answered with a success */
  private async call(path: string, init: Pick<RequestInit, 'method' | 'body'>, requestId: string): Promise<boolean> {
    this.token ??= await this.takeToken();
    const response = await fetch(`${this.options.url}${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(requestMsMax),
    });
    if (response.status === 401) this.token = null;
    await response.body?.cancel();
    return response.ok;
  }

  private async takeToken(): Promise<string> {
    const { url, clientId, clientSecret } = this.options;
    const form = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret(),
      scope: 'admin',
    };
    const response = await fetch(`${url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(requestMsMax),
    });
    const { access_token: token } = (await response.json()) as { readonly access_token?: string };
    if (token === undefined) throw new Error(`no token: ${response.status}`);
    return token;
  }
}
