import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import type { ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';

import type { Environment } from '#contracts';
import { readEnvironment } from '#contracts';
import { describeUnless, loopbackCertificate } from '#test-support';

const projectRoot = resolve(import.meta.dirname, '../..');
export const chartFolder = join(projectRoot, 'deploy/helm/loyaltyd');
const programsFile = join(projectRoot, 'deploy/compose/loyaltyd.yaml');
const templateMs = 10_000;
const buildMs = 900_000;

interface Found {
  readonly path: string | null;
  readonly reason: string;
}

/** Helm, unless nobody has built it yet: that takes minutes, so only `.ci/run` (REQUIRE_HELM) does it unasked. */
function findHelm(): Found {
  const isRequired = process.env['REQUIRE_HELM'] === '1';
  const script = spawnSync(join(projectRoot, '.ci/helm'), isRequired ? [] : ['--have'], {
    encoding: 'utf8',
    timeout: isRequired ? buildMs : templateMs,
  });
  if (script.status === 0) return { path: script.stdout.trim(), reason: '' };
  if (isRequired) throw new Error(`REQUIRE_HELM is set, and there is no Helm: ${script.stderr}`);
  return {
    path: null,
    reason: `no Helm: ${script.stderr.trim().replace(/^.*bash.*$/, 'no bash on the PATH: install it, then bash .ci/helm builds it')}`,
  };
}

const helm = findHelm();

/** A `describe` that needs Helm, also while it is described: cases come from what is rendered. */
export const describeWithHelm = (title: string, body: () => void): void =>
  describeUnless(helm.path === null ? helm.reason : null, title, body);

/** Runs Helm; throws with what it said on standard error. */
export const runHelm = (args: readonly string[]): string =>
  execFileSync(helm.path ?? 'helm', args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: tmpdir(), HELM_CACHE_HOME: tmpdir() },
  });

/** An object of Kubernetes, as rendered. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly [part: string]: unknown;
}

export interface Rendering {
  /** Names in profiles/, each over the one before; default: `minimal`. */
  readonly profiles?: readonly string[];
  /** Values over these. */
  readonly values?: object;
  /** Default: with a programs file. */
  readonly hasPrograms?: boolean;
  /** Another copy of the chart. */
  readonly chart?: string;
  /** Version of the cluster. */
  readonly kubernetes?: string;
}

/** A copy of the chart with further files, for as long as `use` runs. */
export function withChartCopy<T>(files: Readonly<Record<string, string | null>>, use: (chart: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'loyaltyd-chart-'));
  try {
    cpSync(chartFolder, folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      if (text === null) rmSync(join(folder, path), { recursive: true, force: true });
      else writeFileSync(join(folder, path), text);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The options that both `helm template` and `helm lint` take. */
function valueOptions({ profiles = ['minimal'], values = {}, hasPrograms = true }: Rendering): string[] {
  const files = profiles.flatMap((name) => ['--values', join(chartFolder, `profiles/${name}.yaml`)]);
  const json = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
  const programs = hasPrograms ? ['--set-file', `programs.text=${programsFile}`] : [];
  return [...files, ...programs, ...json];
}

/** What `helm template` makes of the chart. */
export function render(rendering: Rendering = {}): readonly Manifest[] {
  const { chart = chartFolder, kubernetes = '1.37.0' } = rendering;
  const options = ['--namespace', 'shop', '--kube-version', kubernetes, ...valueOptions(rendering)];
  const text = runHelm(['template', 'loyaltyd', chart, ...options]);
  return parseAllDocuments(text).flatMap((document) => {
    const value = document.toJS() as Manifest | null;
    if (document.errors.length > 0) throw document.errors[0]!;
    return value === null ? [] : [value];
  });
}

export const lint = (rendering: Rendering = {}): string =>
  runHelm(['lint', '--strict', rendering.chart ?? chartFolder, ...valueOptions(rendering)]);

/** Why Helm refuses to render. */
export function refusal(rendering: Rendering): string {
  try {
    render(rendering);
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
  throw new Error('it was rendered');
}

export const ofKind = (manifests: readonly Manifest[], kind: string): readonly Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

export const named = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = ofKind(manifests, kind).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
};

/** What a manifest has at a path like `spec.template.metadata`; undefined where it has nothing. */
export const partOf = (manifest: Manifest | undefined, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], manifest);

/** What secrets hold, by the variable that each is for. */
const secretValues: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://loyaltyd:secret@postgres:5432/loyaltyd',
  LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
  OPS_TOKENS: `test:admin:${'a'.repeat(64)}`,
  WALLET_CLIENT_ID: 'client',
  WALLET_CLIENT_SECRET: 'secret',
  KAFKA_SASL_PASSWORD: 'secret',
  KAFKA_OAUTH_CLIENT_SECRET: 'secret',
  WALLET_HEADERS: 'x-key=secret',
  WALLET_CERT_FILE: loopbackCertificate.cert,
  WALLET_KEY_FILE: loopbackCertificate.key,
  VAULT_KUBERNETES_JWT: 'secret',
  VAULT_CA_FILE: loopbackCertificate.cert,
  KAFKA_SSL_CA_FILE: loopbackCertificate.cert,
  DATABASE_SSL_CA_FILE: loopbackCertificate.cert,
};

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources?: { readonly limits?: { readonly memory?: string } };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext?: unknown;
  readonly image: string;
}

interface Source {
  readonly secret?: { readonly name: string; readonly items: readonly { readonly path: string }[] };
  readonly configMap?: { readonly name: string; readonly items: readonly { readonly path: string }[] };
  readonly serviceAccountToken?: { readonly path: string };
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly projected?: { readonly sources: readonly Source[] } }[];
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly automountServiceAccountToken: boolean;
}

/** Every pod that the manifests come to. */
export function podsOf(manifests: readonly Manifest[]): readonly PodSpec[] {
  const templates = [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')];
  const scheduled = ofKind(manifests, 'CronJob').map(podOfCronJob);
  const own = ofKind(manifests, 'Pod').map(({ spec }) => spec as PodSpec);
  return [
    ...templates.map(({ spec }) => (spec as { template: { spec: PodSpec } }).template.spec),
    ...scheduled,
    ...own,
  ];
}

export const podOfCronJob = (job: Manifest): PodSpec => partOf(job, 'spec.jobTemplate.spec.template.spec') as PodSpec;

export const podOf = (deployment: Manifest): PodSpec =>
  (deployment['spec'] as { template: { spec: PodSpec } }).template.spec;

export const variablesOf = (container: Container | undefined): Record<string, string> =>
  Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));

/** The variables of the first container of a Deployment. */
export const variablesIn = (deployment: Manifest): Record<string, string> =>
  variablesOf(podOf(deployment).containers[0]);

/** Paths of all that is mounted in the folder of secrets and files. */
export function mountedPaths(pod: PodSpec): readonly string[] {
  const folder = pod.containers[0]?.volumeMounts?.find(({ name }) => name === 'mounted')?.mountPath ?? '';
  const sources = pod.volumes.flatMap(({ projected }) => projected?.sources ?? []);
  return sources.flatMap(({ secret, configMap, serviceAccountToken: token }) =>
    (token === undefined ? ((secret ?? configMap)?.items ?? []) : [token]).map(({ path }) => `${folder}/${path}`),
  );
}

/** What the daemon makes of a container's variables, with the secrets that the pod mounts; throws where it would refuse them. */
export function environmentOf(pod: PodSpec, container = pod.containers[0]): Environment {
  const mounted = mountedPaths(pod);
  const readFile = (path: string): string => {
    if (!mounted.includes(path)) throw new Error(`nothing is mounted at ${path}`);
    return secretValues[path.split('/').at(-1) ?? ''] ?? '';
  };
  const read = readEnvironment(variablesOf(container), { readFile });
  if (!read.ok) throw new Error(read.errors.join('\n'));
  return read.value;
}

interface Schemas {
  readonly kinds: Readonly<Record<string, object>>;
  readonly definitions: object;
}

const read = (name: string): Schemas =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'schemas', name), 'utf8')) as Schemas;

/** Versions of Kubernetes whose schemas are here: the oldest that the chart admits, and the newest. */
export const kubernetesVersions = ['v1.31.14', 'v1.37.2'] as const;

/** Holds manifests against the API's own schemas, strictly: fields that the API does not know are refused, too. */
export class ManifestValidator {
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(version: (typeof kubernetesVersions)[number]) {
    const ajv = new Ajv({ strict: false, allErrors: true });
    for (const { kinds, definitions } of [read(`kubernetes-${version}.json`), read('custom-resources.json')]) {
      for (const [kind, schema] of Object.entries(kinds)) {
        this.validators.set(kind, ajv.compile({ ...schema, definitions }));
      }
    }
  }

  /** What is wrong, by path; empty where nothing is. */
  problems(manifest: Manifest): readonly string[] {
    const { apiVersion, kind, metadata } = manifest;
    const validate = this.validators.get(`${apiVersion}/${kind}`);
    if (validate === undefined) return [`${apiVersion}/${kind}: no such kind in this version`];
    validate(manifest);
    const errors = validate.errors ?? [];
    return errors.map(
      ({ instancePath, message, params }) =>
        `${kind}/${metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}
