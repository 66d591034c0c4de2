import { readEnvironment, type Environment } from '#contracts';
import { loopbackCertificate } from '#test-support';
import { ofKind, type Manifest } from './helm.js';

/** What secrets hold, by the variable that each is for. */
const secretValues: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://loyaltyd:secret@postgres:5432/loyaltyd',
  LOYALTYD_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  OPS_TOKENS: `test:admin:${'a'.repeat(64)}`,
  WALLET_CLIENT_ID: 'client',
  WALLET_CLIENT_SECRET: 'secret',
  KAFKA_SASL_PASSWORD: 'secret',
  KAFKA_SSL_CA_FILE: loopbackCertificate.cert,
  DATABASE_SSL_CA_FILE: loopbackCertificate.cert,
};

export interface Container {
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
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly projected?: { readonly sources: readonly Source[] } }[];
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly automountServiceAccountToken: boolean;
}

/** Every pod that the manifests come to. */
export function podsOf(manifests: readonly Manifest[]): readonly PodSpec[] {
  const templates = [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')];
  const own = ofKind(manifests, 'Pod').map(({ spec }) => spec as PodSpec);
  return [...templates.map(({ spec }) => (spec as { template: { spec: PodSpec } }).template.spec), ...own];
}

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
  return sources.flatMap(
    ({ secret, configMap }) => (secret ?? configMap)?.items.map(({ path }) => `${folder}/${path}`) ?? [],
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
