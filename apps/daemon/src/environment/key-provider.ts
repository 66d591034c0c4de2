import type { EncryptionKey, Environment, VaultEnvironment } from '#contracts';
import { unwrappedKeyProblem } from '#contracts';
import type { KeyService, VaultSettings } from '#platform';
import { KeyServiceRefusedError, VaultTransit } from '#platform';

/**
 * Makes master keys of what `LOYALTYD_ENCRYPTION_KEY` lists: a key that stands there as text is taken as it is, a wrapped one
 * is unwrapped by the key service, once. What was unwrapped stays in memory, so that nothing but a new key needs the service.
 */
export class KeyProvider {
  private readonly unwrapped = new Map<string, Uint8Array>();

  /** @param service null: none is configured */
  constructor(private readonly service: KeyService | null) {}

  /**
   * In the order of the list.
   * @throws {KeyServiceRefusedError | KeyServiceAwayError} the message says which key of the list
   */
  async open(keys: readonly EncryptionKey[]): Promise<readonly Uint8Array[]> {
    const opened: Uint8Array[] = [];
    // One after the other: where the service is away, the second need not find out.
    for (const [index, key] of keys.entries()) opened.push(await this.openOne(key, index + 1));
    return opened;
  }

  /** Forgets what is no longer listed: a key that was taken away is gone from here, too. */
  forgetAllBut(keys: readonly EncryptionKey[]): void {
    const listed = new Set(keys.map((key) => (key instanceof Uint8Array ? null : key.wrapped)));
    for (const wrapped of this.unwrapped.keys()) if (!listed.has(wrapped)) this.unwrapped.delete(wrapped);
  }

  private async openOne(key: EncryptionKey, number: number): Promise<Uint8Array> {
    if (key instanceof Uint8Array) return key;
    const known = this.unwrapped.get(key.wrapped);
    if (known !== undefined) return known;
    if (this.service === null) {
      throw new KeyServiceRefusedError('VAULT_ADDR: must be set, for a key is wrapped by Vault');
    }
    const unwrapped = await this.service.unwrap(key.wrapped);
    const problem = unwrappedKeyProblem(unwrapped);
    if (problem !== null) {
      throw new KeyServiceRefusedError(`LOYALTYD_ENCRYPTION_KEY: what key ${number} of the list wraps ${problem}`);
    }
    this.unwrapped.set(key.wrapped, unwrapped);
    return unwrapped;
  }
}

function settingsOf({ login, ca, ...rest }: VaultEnvironment): VaultSettings {
  const as = login.kind === 'token' ? { ...login, token: login.token.value } : { ...login, jwt: login.jwt.value };
  return { ...rest, login: as, ca: ca?.value ?? null };
}

/** The configured key service, which is asked by the token that is in force then; null: none is configured. */
export function keyServiceOf(live: { readonly current: Pick<Environment, 'vault'> }): VaultTransit | null {
  const { vault } = live.current;
  return vault === null ? null : new VaultTransit(() => settingsOf(live.current.vault ?? vault));
}

/** The master keys of an environment, for a process that reads it once. @throws as `KeyProvider.open` does */
export async function masterKeysOf(
  environment: Pick<Environment, 'encryptionKeys' | 'vault'>,
): Promise<readonly Uint8Array[]> {
  return new KeyProvider(keyServiceOf({ current: environment })).open(environment.encryptionKeys ?? []);
}
