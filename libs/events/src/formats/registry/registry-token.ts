import { AccessTokens, type AccessTokenOptions, ClientCredentials, type ClientCredentialsSettings } from '#platform';

import { UnavailableError } from '../source-format.js';
import type { RegistryLogin, RegistrySettings } from './registry-settings.js';

type OauthLogin = Extract<RegistryLogin, { readonly kind: 'oauth' }>;

/** The token for a schema registry, by client credentials: the client is known by HTTP Basic, as each server must take it. */
export class RegistryToken {
  private held: { readonly of: string; readonly tokens: AccessTokens } | null = null;

  constructor(private readonly clock: AccessTokenOptions['clock']) {}

  /** @throws UnavailableError */
  async value(settings: RegistrySettings, login: OauthLogin): Promise<string> {
    const granted = await this.tokensOf(settings, login).obtain();
    if (granted.kind === 'none') throw new UnavailableError(`no token: ${granted.reason}`);
    return granted.value;
  }

  /** The registry does not take it. */
  forget(refused: string): void {
    this.held?.tokens.forget(refused);
  }

  /** Another secret or certificate, another address: it is asked for again. */
  private tokensOf(settings: RegistrySettings, login: OauthLogin): AccessTokens {
    const asked = credentialsOf(settings, login);
    const of = JSON.stringify(asked);
    this.held = this.held?.of === of ? this.held : { of, tokens: this.tokensBy(asked) };
    return this.held.tokens;
  }

  private tokensBy(asked: ClientCredentialsSettings): AccessTokens {
    return new AccessTokens(new ClientCredentials(() => asked), { clock: this.clock });
  }
}

function credentialsOf(
  { ca, cert, key, timeoutMs }: RegistrySettings,
  { tokenUrl: url, clientId, clientSecret, scope }: OauthLogin,
): ClientCredentialsSettings {
  return {
    ...{ url, clientId, clientSecret, scope, audience: null, authenticateBy: 'basic' },
    ...{ ca, cert, key, timeoutMs },
  };
}
