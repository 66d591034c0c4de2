import { EnvironmentError, readEnvironment } from './sandbox-environment.js';

describe('readEnvironment', () => {
  it('has the defaults of the contract', () => {
    expect(readEnvironment({})).toEqual({
      port: 4010,
      host: '127.0.0.1',
      clientId: 'sandbox',
      clientSecret: 'sandbox',
      scope: null,
      tokenTtlS: 3600,
      seedFile: null,
      controlKey: null,
      databaseUrl: null,
    });
  });

  it('takes port 0 and treats an empty value as not set', () => {
    const environment = readEnvironment({ SANDBOX_PORT: '0', SANDBOX_SEED: '', SANDBOX_TOKEN_TTL_S: '2' });
    expect(environment).toMatchObject({ port: 0, seedFile: null, tokenTtlS: 2 });
  });

  it.each(['0.0.0.0', '::', '192.168.1.7', 'sandbox'])('refuses to be reached at %s without a control key', (host) => {
    const others = { SANDBOX_HOST: host, SANDBOX_PORT: 'x' };
    expect(() => readEnvironment(others)).toThrow(
      /^SANDBOX_PORT: .*\nSANDBOX_CONTROL_KEY: required where SANDBOX_HOST/s,
    );
    expect(readEnvironment({ SANDBOX_HOST: host, SANDBOX_CONTROL_KEY: 'k'.repeat(16) }).controlKey).toBe(
      'k'.repeat(16),
    );
  });

  it.each(['short', 'with a space in between'])('refuses a key like %j, on loopback too', (key) => {
    expect(() => readEnvironment({ SANDBOX_CONTROL_KEY: key })).toThrow(/^SANDBOX_CONTROL_KEY: /);
  });

  it('names every wrong variable, and no value', () => {
    const wrong = { SANDBOX_PORT: '99999', SANDBOX_TOKEN_TTL_S: 'soon', DATABASE_URL: 'mysql://secret' };
    let problems: readonly string[] = [];
    try {
      readEnvironment(wrong);
    } catch (error) {
      expect(error).toBeInstanceOf(EnvironmentError);
      ({ problems } = error as EnvironmentError);
    }
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'SANDBOX_PORT',
      'SANDBOX_TOKEN_TTL_S',
      'DATABASE_URL',
    ]);
    expect(problems.join()).not.toContain('secret');
  });
});
