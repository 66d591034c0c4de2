import { loopbackCertificate } from '#test-support';

import { readEnvironmentParts, type EnvironmentParts } from './read-environment.js';

const registry = { SCHEMA_REGISTRY_URL: 'https://registry:8081/' };
const basic = { SCHEMA_REGISTRY_USERNAME: 'loyaltyd', SCHEMA_REGISTRY_PASSWORD: 'hunter2' };
const oauth = {
  SCHEMA_REGISTRY_OAUTH_TOKEN_URL: 'https://login/token',
  SCHEMA_REGISTRY_OAUTH_CLIENT_ID: 'loyaltyd',
  SCHEMA_REGISTRY_OAUTH_CLIENT_SECRET_FILE: '/secret',
};

const read = (changes: Readonly<Record<string, string>>): EnvironmentParts =>
  readEnvironmentParts(
    { ...registry, ...changes },
    {
      roles: [],
      readFile: (path) => (path === '/secret' ? 'from-file\n' : loopbackCertificate[path as 'cert' | 'key']),
    },
  );

describe('the schema registry', () => {
  it('needs an address, and nothing else', () => {
    const defaults = { url: 'https://registry:8081', login: { kind: 'none' }, timeoutMs: 5_000 };
    expect(read({})).toMatchObject({
      value: { schemaRegistry: { ...defaults, ca: null, cert: null, key: null } },
      errors: [],
    });
    const without = read({ SCHEMA_REGISTRY_URL: '', ...basic });
    expect([without.value.schemaRegistry, without.errors]).toEqual([null, []]);
  });

  it('is logged in to by name and password, or by a client that fetches a token', () => {
    const password = { value: 'hunter2', file: null };
    expect(read(basic).value.schemaRegistry?.login).toEqual({ kind: 'basic', username: 'loyaltyd', password });
    expect(read({ ...oauth, SCHEMA_REGISTRY_OAUTH_SCOPE: 'read schemas' }).value.schemaRegistry?.login).toEqual({
      kind: 'oauth',
      tokenUrl: 'https://login/token',
      clientId: 'loyaltyd',
      clientSecret: { value: 'from-file', file: '/secret' },
      scope: 'read schemas',
      ...{ logicalCluster: null, identityPoolId: null },
    });
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ SCHEMA_REGISTRY_URL: 'registry:8081' }, 'SCHEMA_REGISTRY_URL: must be an http or https address'],
    [
      { SCHEMA_REGISTRY_URL: 'http://registry' },
      'SCHEMA_REGISTRY_URL: must be https unless it is loopback, or ALLOW_CLEARTEXT names registry',
    ],
    [
      { ...oauth, SCHEMA_REGISTRY_OAUTH_TOKEN_URL: 'http://login' },
      'SCHEMA_REGISTRY_URL: must be https unless it is loopback, or ALLOW_CLEARTEXT names registry',
    ],
    [{ ...basic, SCHEMA_REGISTRY_PASSWORD: '' }, 'SCHEMA_REGISTRY_PASSWORD: required'],
    [{ ...basic, SCHEMA_REGISTRY_USERNAME: '' }, 'SCHEMA_REGISTRY_USERNAME: required'],
    [{ ...basic, SCHEMA_REGISTRY_USERNAME: 'a:b' }, 'SCHEMA_REGISTRY_USERNAME: must have no ":"'],
    [{ ...basic, ...oauth }, 'SCHEMA_REGISTRY_USERNAME: set it or SCHEMA_REGISTRY_OAUTH_TOKEN_URL, not both'],
    [{ ...oauth, SCHEMA_REGISTRY_OAUTH_CLIENT_ID: '' }, 'SCHEMA_REGISTRY_OAUTH_CLIENT_ID: required'],
    [
      { ...oauth, SCHEMA_REGISTRY_OAUTH_LOGICAL_CLUSTER: 'a b' },
      'SCHEMA_REGISTRY_OAUTH_LOGICAL_CLUSTER: must be an id',
    ],
    [
      { SCHEMA_REGISTRY_CERT_FILE: 'cert' },
      'SCHEMA_REGISTRY_KEY_FILE: SCHEMA_REGISTRY_CERT_FILE and SCHEMA_REGISTRY_KEY_FILE belong together',
    ],
    [{ SCHEMA_REGISTRY_TIMEOUT_MS: '1' }, 'SCHEMA_REGISTRY_TIMEOUT_MS: must be a whole number from 100 to 60000'],
  ])('refuses %j', (changes, error) => {
    expect(read(changes).errors).toEqual([error]);
  });

  it('has certificates from files, which are followed', () => {
    const files = {
      SCHEMA_REGISTRY_CA_FILE: 'cert',
      SCHEMA_REGISTRY_CERT_FILE: 'cert',
      SCHEMA_REGISTRY_KEY_FILE: 'key',
    };
    const { value, errors, files: followed } = read(files);
    expect(errors).toEqual([]);
    expect(value.schemaRegistry).toMatchObject({ ca: { file: 'cert' }, cert: { file: 'cert' }, key: { file: 'key' } });
    expect([...followed.keys()]).toEqual(Object.keys(files));
  });
});
