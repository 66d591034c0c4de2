import { KeyServiceAwayError, KeyServiceRefusedError } from '#platform';

import { KeyProvider } from './key-provider.js';

const [one, two] = [1, 2].map((first) => new Uint8Array(32).map((_, at) => at * first)) as [Uint8Array, Uint8Array];
const wrapped = { wrapped: 'vault:v1:b25l' };

/** A key service that knows some keys, and counts what it is asked. */
class FakeService {
  asked: string[] = [];
  isAway = false;

  constructor(private readonly keys: Readonly<Record<string, Uint8Array>>) {}

  unwrap(text: string): Promise<Uint8Array> {
    this.asked.push(text);
    if (this.isAway) return Promise.reject(new KeyServiceAwayError('away'));
    const key = this.keys[text];
    return key === undefined ? Promise.reject(new KeyServiceRefusedError('refused')) : Promise.resolve(key);
  }

  makeWrapped(): Promise<string> {
    return Promise.reject(new Error('not asked for here'));
  }

  rewrap(): Promise<string> {
    return this.makeWrapped();
  }
}

describe('the provider of master keys', () => {
  let service: FakeService;
  let provider: KeyProvider;

  beforeEach(() => {
    service = new FakeService({ [wrapped.wrapped]: one, 'vault:v1:c2hvcnQ=': one.subarray(1) });
    provider = new KeyProvider(service);
  });

  it('takes a key of text as it is, and has a wrapped one opened, in their order', async () => {
    expect(await provider.open([wrapped, two])).toEqual([one, two]);
    expect(await new KeyProvider(null).open([two])).toEqual([two]);
  });

  it('asks the service once for each key, and goes on without it', async () => {
    await provider.open([wrapped]);
    service.isAway = true;
    expect(await provider.open([wrapped, two])).toEqual([one, two]);
    expect(service.asked).toHaveLength(1);
  });

  it('forgets a key that is no longer listed', async () => {
    await provider.open([wrapped]);
    provider.forgetAllBut([two]);
    service.isAway = true;
    await expect(provider.open([wrapped])).rejects.toThrow(KeyServiceAwayError);
  });

  it('keeps nothing of a failure', async () => {
    service.isAway = true;
    await expect(provider.open([wrapped])).rejects.toThrow(KeyServiceAwayError);
    service.isAway = false;
    expect(await provider.open([wrapped])).toEqual([one]);
  });

  it('refuses what is no key, by its place in the list', async () => {
    await expect(provider.open([wrapped, { wrapped: 'vault:v1:c2hvcnQ=' }])).rejects.toThrow(
      'LOYALTYD_ENCRYPTION_KEY: what key 2 of the list wraps is not 32 bytes',
    );
  });

  it('refuses a wrapped key where no service is configured', async () => {
    await expect(new KeyProvider(null).open([wrapped])).rejects.toThrow('VAULT_ADDR: must be set');
  });
});
