import { unwrappedKeyProblem } from './encryption-keys.js';
import { readEnvironmentParts, type EnvironmentParts } from './read-environment.js';

const key = Buffer.from([...Array(32).keys()]).toString('base64');
const wrapped = 'vault:v1:8SDd3WHDOjf7mq69CyCqYjBXAiQQAVZRkFM13ok481zoCmHnSeDX9vyf7w==';
const vault = {
  LOYALTYD_ENCRYPTION_KEY: wrapped,
  VAULT_ADDR: 'https://vault:8200/',
  VAULT_TRANSIT_KEY_NAME: 'loyaltyd',
  VAULT_TOKEN: 'hunter2',
};

const read = (changes: Readonly<Record<string, string>>): EnvironmentParts =>
  readEnvironmentParts({ ...vault, ...changes }, { roles: [], readFile: () => 'from-file\n' });

describe('keys that Vault has wrapped', () => {
  it('stand in the list as they are, beside others', () => {
    const { value, errors } = read({ LOYALTYD_ENCRYPTION_KEY: `${wrapped}, ${key}` });
    expect([value.encryptionKeys, errors]).toEqual([[{ wrapped }, new Uint8Array(Array(32).keys())], []]);
  });

  it('need to know where to, with whose token', () => {
    expect(read({}).value.vault).toEqual({
      address: 'https://vault:8200',
      keyName: 'loyaltyd',
      login: { kind: 'token', token: { value: 'hunter2', file: null } },
      ...{ namespace: null, mount: 'transit', context: null, timeoutMs: 5_000, ca: null },
    });
    const none = { VAULT_ADDR: '', VAULT_TRANSIT_KEY_NAME: '', VAULT_TOKEN: '' };
    expect(read(none).errors).toEqual([
      'VAULT_ADDR: required',
      'VAULT_TRANSIT_KEY_NAME: required',
      'VAULT_TOKEN: required, unless VAULT_KUBERNETES_ROLE is set',
    ]);
  });

  it('are opened as a service account where a role is named', () => {
    const role = { VAULT_TOKEN: '', VAULT_KUBERNETES_ROLE: 'loyaltyd', VAULT_KUBERNETES_JWT_FILE: '/jwt' };
    const jwt = { value: 'from-file', file: '/jwt' };
    const { value, files } = read(role);
    expect(value.vault?.login).toEqual({ kind: 'kubernetes', mount: 'kubernetes', role: 'loyaltyd', jwt });
    expect(files.get('VAULT_KUBERNETES_JWT_FILE')).toBe('/jwt');
    expect(read({ ...role, VAULT_KUBERNETES_JWT_FILE: '' }).errors).toEqual(['VAULT_KUBERNETES_JWT: required']);
    expect(read({ ...role, VAULT_TOKEN: 'hunter2' }).errors).toEqual([
      'VAULT_TOKEN: set it or VAULT_KUBERNETES_ROLE, not both',
    ]);
  });

  it.each([
    ['LOYALTYD_ENCRYPTION_KEY', 'vault:v1:', 'must be base64 of 32 bytes, or wrapped by Vault'],
    ['LOYALTYD_ENCRYPTION_KEY', `vault:v1:${'A'.repeat(1_000)}`, 'must be base64 of 32 bytes, or wrapped by Vault'],
    ['VAULT_ADDR', 'vault:8200', 'must be an http or https address'],
    ['VAULT_TRANSIT_KEY_NAME', '../../sys/seal', 'must be a name'],
    ['VAULT_TRANSIT_MOUNT', '../auth', 'must be the path of a mount'],
    ['VAULT_TRANSIT_MOUNT', 'transit?list=true', 'must be the path of a mount'],
    ['VAULT_KUBERNETES_MOUNT', '/kubernetes', 'must be the path of a mount'],
    ['VAULT_NAMESPACE', 'shop eu', 'must be the path of a namespace'],
    ['VAULT_TOKEN', 'hunter2\nhunter3', 'must be one token'],
    ['VAULT_TIMEOUT_MS', '0', 'must be a whole number'],
  ])('refuse %s=%j', (name, value, rule) => {
    const { errors } = read({ [name]: value });
    expect(errors).toEqual([expect.stringContaining(`${name}: ${rule}`)]);
    expect(errors.join()).not.toContain('hunter2');
  });

  it('leave variables of Vault’s own tools alone where nothing is wrapped', () => {
    const { value, errors } = read({ LOYALTYD_ENCRYPTION_KEY: key, VAULT_TRANSIT_KEY_NAME: '', VAULT_ADDR: 'vault' });
    expect([value.vault, errors]).toEqual([null, []]);
  });

  it.each([
    ['too short', new Uint8Array(16).map((_, at) => at), 'is not 32 bytes'],
    ['zeros', new Uint8Array(32), 'is not random'],
    [
      'that of docker-compose.yml',
      new Uint8Array(Buffer.from('7MKMbIq043+GRmXPsMmpi+zgTWi7TSJYRu5hemJppgw=', 'base64')),
      'is the one that this repository shows to everybody',
    ],
  ])('are no better for being wrapped: %s', (_what, unwrapped, problem) => {
    expect(unwrappedKeyProblem(unwrapped)).toBe(problem);
  });

  it('are taken when they are 32 random bytes', () => {
    expect(unwrappedKeyProblem(new Uint8Array(Array(32).keys()))).toBeNull();
  });
});
