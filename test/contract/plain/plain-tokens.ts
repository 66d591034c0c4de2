import { setTimeout as delay } from 'node:timers/promises';
import type { ResolvedStep, Seen } from '../interpreter/contract-client.js';
import { NotRun } from '../interpreter/scope.js';
import { valueAt } from '../interpreter/value-at.js';
import { send } from './send.js';

export interface TokenAccess {
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
export class PlainTokens {
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

  private async fresh(): Promise<string> {
    const held = await (this.held ??= this.obtain());
    if (held.freshUntil > Date.now()) return held.value;
    return (await (this.held = this.obtain())).value;
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
    const { body } = await this.request({});
    const waitMs = Number(valueAt(body, 'expires_in')) * 1_000 + expiryMarginMs;
    const { tokenExpiryWaitMs } = this.access;
    if (!(waitMs <= tokenExpiryWaitMs)) {
      throw new NotRun(`a token lives for ${waitMs - expiryMarginMs} ms; the setup's tokenExpiryWaitMs is shorter`);
    }
    await delay(waitMs);
    return String(valueAt(body, 'access_token'));
  }
}
