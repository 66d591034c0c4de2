import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { parseProgramsFile, readEnvironment } from '#contracts';
import { projectRoot } from './planted-tree.js';

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: unknown;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
}

const text = readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8');
const readCompose = (): ComposeFile => parse(text, { merge: true }) as ComposeFile;

/** The schema of the Compose specification itself; see compose-spec/README.md. */
function composeSchema(): ValidateFunction {
  const schema = JSON.parse(
    readFileSync(join(projectRoot, 'test/project/compose-spec/compose-spec.json'), 'utf8'),
  ) as object;
  return new Ajv2020({ strict: false, allErrors: true }).compile(schema);
}

describe('docker-compose.yml', () => {
  const validate = composeSchema();

  it('is valid by the Compose specification', () => {
    validate(readCompose());
    expect(validate.errors).toBeNull();
  });

  it('would be refused with a misspelt key', () => {
    const compose = readCompose();
    expect(validate({ ...compose, services: { ...compose.services, daemon: { imgae: 'x' } } })).toBe(false);
  });

  it('names services that exist, each with a probe', () => {
    const { services } = readCompose();
    for (const service of Object.values(services)) {
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(service.depends_on ?? {})));
      expect(service.healthcheck).toBeDefined();
    }
  });

  it('mounts files that exist', () => {
    const mounts = Object.values(readCompose().services).flatMap((service) => service.volumes ?? []);
    const files = mounts.filter((mount) => mount.startsWith('./')).map((mount) => mount.split(':')[0]!);
    expect(files).not.toHaveLength(0);
    expect(files.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
  });
});

describe('the image', () => {
  it('is built from a Dockerfile that exists', () => {
    const builds = Object.values(readCompose().services).flatMap(({ build }) => (build === undefined ? [] : [build]));
    expect(builds).not.toHaveLength(0);
    expect(builds.filter((build) => !existsSync(join(projectRoot, build.context, build.dockerfile)))).toEqual([]);
  });

  it('is built here, or the one whose digest stands in the file', () => {
    const foreign = Object.values(readCompose().services).filter(({ build }) => build === undefined);
    expect(foreign.map(({ image }) => image)).toEqual([
      expect.stringMatching(/^apache\/kafka:[\d.]+@sha256:[\da-f]{64}$/),
      expect.stringMatching(/^postgres:[\d.]+@sha256:[\da-f]{64}$/),
    ]);
  });
});

describe('the settings of the Compose stack', () => {
  const absent = (): never => {
    throw new Error('the stack has no files of secrets');
  };

  function daemonEnvironment(): Readonly<Record<string, string>> {
    const variables = Object.entries(readCompose().services['daemon']?.environment ?? {});
    const fallback = (value: unknown): string => String(value).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
    return Object.fromEntries(variables.map(([name, value]) => [name, fallback(value)]));
  }

  it('has an environment that the daemon accepts', () => {
    const env = daemonEnvironment();
    const read = readEnvironment(env, { readFile: absent });
    expect(read).toMatchObject({ ok: true });
    // Each container has a network of its own, so that a killed one takes no other along.
    expect(read.ok && Object.keys(read.value.cleartext)).toEqual(['postgres', 'kafka', 'partner']);
    expect(readEnvironment({ ...env, ALLOW_CLEARTEXT: '' }, { readFile: absent })).toMatchObject({ ok: false });
  });

  it('shows a key and a token to everybody, which the daemon takes nowhere else', () => {
    const env = daemonEnvironment();
    const { LOYALTYD_ENCRYPTION_KEY: key, OPS_TOKENS: tokens } = env;
    expect([key, tokens]).toEqual([expect.any(String), expect.any(String)]);
    const real = {
      DATABASE_URL: 'postgres://daemon:of-its-own@database.example/loyaltyd',
      DATABASE_SSL: 'verify-full',
      WALLET_BASE_URL: 'https://wallet.example/brands',
      WALLET_AUTH_URL: 'https://auth.example',
      ALLOW_CLEARTEXT: 'kafka',
    };
    const refused = (changed: object): readonly string[] => {
      const read = readEnvironment({ ...env, ...real, ...changed }, { readFile: absent });
      return read.ok ? [] : read.errors.map((error) => error.replace(/ is the one .*/, ''));
    };
    const [otherKey, otherTokens] = [randomBytes(32).toString('base64'), `ada:admin:${'ab'.repeat(32)}`];
    expect(refused({})).toEqual(['LOYALTYD_ENCRYPTION_KEY:', 'OPS_TOKENS:']);
    expect(refused({ LOYALTYD_ENCRYPTION_KEY: `${otherKey},${key}`, OPS_TOKENS: `${otherTokens},${tokens}` })).toEqual([
      ...['LOYALTYD_ENCRYPTION_KEY:', 'OPS_TOKENS:'],
    ]);
    expect(refused({ LOYALTYD_ENCRYPTION_KEY: otherKey, OPS_TOKENS: otherTokens })).toEqual([]);
  });

  it('has a programs file that the daemon accepts', () => {
    const programs = readFileSync(join(projectRoot, 'deploy/compose/loyaltyd.yaml'), 'utf8');
    expect(parseProgramsFile(programs)).toMatchObject({ ok: true });
  });
});
