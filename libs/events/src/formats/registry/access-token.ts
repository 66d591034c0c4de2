import { readJsonText } from '#contracts/json';
import type { Clock } from '#platform';
import { tokenAnswerBytesMax, tokenLifetimeFallbackMs, tokenMarginMs } from '../limits.js';
import { UnavailableError } from '../source-format.js';
import { exchange } from './exchange.js';
import type { RegistryLogin, RegistrySettings } from './registry-settings.js';

type OauthLogin = Extract<RegistryLogin, { readonly kind: 'oauth' }>;

interface HeldToken {
  readonly value: string;
  /** By whom it was asked for, and where: after a change of the secret it is asked for again. */
  readonly login: string;
  readonly renewAtMs: number;
}

/** The token for a schema registry: client credentials (RFC 6749, 4.4), the client known by HTTP Basic as each server must take it. */
export class RegistryToken {
  private held: HeldToken | null = null;

  constructor(private readonly clock: Pick<Clock, 'after' | 'monotonic'>) {}

  /** @throws UnavailableError */
  async value(settings: RegistrySettings, login: OauthLogin): Promise<string> {
    const asWhom = JSON.stringify(login);
    const { held } = this;
    if (held?.login === asWhom && this.clock.monotonic() < held.renewAtMs) return held.value;
    const askedAtMs = this.clock.monotonic();
    const { value, lifetimeMs } = await this.ask(settings, login);
    const renewAtMs = askedAtMs + lifetimeMs - Math.min(tokenMarginMs, lifetimeMs / 2);
    this.held = { value, login: asWhom, renewAtMs };
    return value;
  }

  /** The registry does not take it. */
  forget(): void {
    this.held = null;
  }

  private async ask(
    settings: RegistrySettings,
    { tokenUrl, clientId, clientSecret, scope }: OauthLogin,
  ): Promise<Token> {
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== null && { scope }) });
    const { status, bytes } = await exchange(this.clock, settings, {
      url: tokenUrl,
      headers: {
        accept: 'application/json',
        authorization: basic(formEncoded(clientId), formEncoded(clientSecret)),
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: form.toString(),
      bytesMax: tokenAnswerBytesMax,
    });
    if (status !== 200) throw new UnavailableError(`the token is refused: http-${status}`);
    return tokenOf(readJsonText(bytes.toString('utf8')));
  }
}

interface Token {
  readonly value: string;
  readonly lifetimeMs: number;
}

/** What may stand in a header. */
const tokenPattern = /^[!-~]+$/;

function tokenOf(answer: unknown): Token {
  const { access_token: value, expires_in: seconds } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof value !== 'string' || !tokenPattern.test(value)) throw new UnavailableError('the token is unreadable');
  const isSaid = typeof seconds === 'number' && seconds > 0;
  return { value, lifetimeMs: isSaid ? seconds * 1000 : tokenLifetimeFallbackMs };
}

/** RFC 6749, 2.3.1. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
