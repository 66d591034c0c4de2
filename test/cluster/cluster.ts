import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { stringify } from 'yaml';

import { waitUntil } from '#embedded';
import { createTopics } from '#test-support';

import { encryptionKey, operatorToken, partitions } from '../chaos/installation/chaos-harness.js';
import { topicNames } from '../chaos/installation/programs.js';
import { runSql } from '../chaos/verdict/run-sql.js';
import type { Installation } from '../drill/drill.js';
import type { ClusterOptions, Part } from './options.js';

const run = promisify(execFile);

const release = 'loyaltyd-drill';
const infra = 'loyaltyd-drill-infra';
const selector = 'app.kubernetes.io/instance=loyaltyd,app.kubernetes.io/component=all';
const deployment = 'deployment/loyaltyd-all';

const commandMsMax = 300_000;
const outputBytesMax = 256 * 1024 * 1024;
const forwardRetryMs = 500;
const reachMsMax = 120_000;
const removeSecondsMax = 180;

/** The autoscaler looks every 15 s, and wants two samples of a new pod first. */
const scaleMsMax = 300_000;

/** Within it ours have left the node, as far as they may. */
const drainSecondsMax = 45;

/** More children than fit into a container of 1 GiB beside a daemon, one after the other, each of some 100 MiB. */
const eatMemory = `
const { spawn } = require('node:child_process');
const child = 'const all = Buffer.alloc(64 * 1024 * 1024, 1); process.stdout.write("x"); setInterval(() => all[0], 1000)';
const next = (left) => {
  if (left > 0) spawn(process.execPath, ['-e', child]).stdout.once('data', () => next(left - 1));
};
next(16);
setTimeout(() => process.exit(1), 60000);
`;

/** The chart and the manifests are read where the sources are, from the compiled program, too. */
const root = fileURLToPath(new URL(import.meta.filename.includes('/dist/') ? '../../../' : '../../', import.meta.url));
const chart = join(root, 'deploy/helm/loyaltyd');

/** A way to a service of the cluster from this machine, made again whenever its pod has gone. */
class PortForward {
  private child: ChildProcess | null = null;
  private readonly stopping = new AbortController();
  private readonly work: Promise<void>;

  constructor(service: string, port: string) {
    this.work = this.keep(['port-forward', '--namespace', infra, `service/${service}`, port]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.child?.kill();
    await this.work;
  }

  private async keep(args: readonly string[]): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const child = spawn('kubectl', [...args], { stdio: 'ignore' });
      this.child = child;
      await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
      await sleep(forwardRetryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

function imageOf(name: string): { readonly repository: string; readonly tag: string } {
  const [repository = '', tag = ''] = name.split(/:(?=[^/]*$)/);
  return { repository, tag };
}

/** Values of the release, beyond the chart's defaults: a Deployment with all roles, as `profiles/minimal.yaml` has it. */
function valuesOf({ daemon }: ClusterOptions['images']): object {
  const { repository, tag } = imageOf(daemon);
  const from = (name: string, key: string): object => ({ name, key });
  return {
    image: { repository, tag, pullPolicy: 'IfNotPresent' },
    config: {
      KAFKA_BROKERS: `kafka.${infra}:9092`,
      ALLOW_CLEARTEXT: 'postgres,kafka,partner',
      WALLET_BASE_URL: `http://wallet-sandbox.${infra}:4010/brands`,
      WALLET_AUTH_URL: `http://wallet-sandbox.${infra}:4010`,
      WALLET_SCOPE: 'wallet',
      WALLET_ENVIRONMENT: 'sandbox',
      SHUTDOWN_GRACE_MS: 15_000,
    },
    secrets: {
      DATABASE_URL: from('loyaltyd-database', 'url'),
      LOYALTYD_ENCRYPTION_KEY: from('loyaltyd', 'encryption-key'),
      OPS_TOKENS: from('loyaltyd', 'ops-tokens'),
      WALLET_CLIENT_ID: from('loyaltyd-wallet', 'client-id'),
      WALLET_CLIENT_SECRET: from('loyaltyd-wallet', 'client-secret'),
    },
    migration: { grant: 'run=daemon,retain=daemon', secrets: { DATABASE_URL: from('loyaltyd-owner', 'url') } },
  };
}

const databaseUrl = (user: string, password: string): string =>
  `postgres://${user}:${password}@postgres.${infra}:5432/loyaltyd`;

const operatorDigest = createHash('sha256').update(operatorToken).digest('hex');

/** The secrets that docs/kubernetes.md has people make, by name. */
const secrets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'loyaltyd-database': { url: databaseUrl('daemon', 'first') },
  'loyaltyd-owner': { url: databaseUrl('loyalty_owner', 'owner') },
  'loyaltyd-wallet': { 'client-id': 'sandbox', 'client-secret': 'sandbox' },
  loyaltyd: { 'encryption-key': encryptionKey, 'ops-tokens': `drill:admin:${operatorDigest}` },
};

/** The release and what it needs, in two namespaces of a cluster. */
export class Cluster implements Installation {
  readonly brokers = 'localhost:29092';
  private readonly admin = 'postgres://administrator:administrator@127.0.0.1:25432';
  readonly truthUrl = `${this.admin}/loyaltyd`;
  readonly walletUrl = `${this.admin}/wallet_sandbox`;
  readonly sandboxUrl = 'http://127.0.0.1:4010';
  readonly sandboxKey = 'control-of-the-drill';
  private readonly forwards: PortForward[] = [];
  private helm = 'helm';
  private drained: string | null = null;

  constructor(
    private readonly options: Pick<ClusterOptions, 'images'>,
    private readonly folder: string,
    private readonly programsPath: string,
  ) {}

  async versions(): Promise<Readonly<Record<string, string>>> {
    const version = JSON.parse(await this.kubectl(['version', '--output', 'json'])) as {
      readonly serverVersion: { readonly gitVersion: string };
    };
    const helm = await this.execute(this.helm, ['version', '--short']);
    return { Kubernetes: version.serverVersion.gitVersion, Helm: helm.trim() };
  }

  /** Kafka, Postgres and the sandbox, and the ways to them. */
  async prepare(): Promise<void> {
    this.helm = (await this.execute('bash', [join(root, '.ci/helm')])).trim();
    const { images } = this.options;
    const template = await readFile(join(root, 'test/cluster/infrastructure.yaml'), 'utf8');
    const names = { INFRA: infra, RELEASE: release, CONTROL: this.sandboxKey } as const;
    const own = { KAFKA: images.kafka, POSTGRES: images.postgres, SANDBOX: images['wallet-sandbox'] } as const;
    const manifest = Object.entries({ ...names, ...own }).reduce(
      (text, [name, value]) => text.replaceAll(`@${name}@`, value),
      template,
    );
    await this.apply('infrastructure', manifest);
    for (const name of ['postgres', 'kafka', 'wallet-sandbox'] as const) {
      await this.isRolledOut(`statefulset/${name}`, infra);
    }
    this.forwards.push(
      new PortForward('kafka', '29092:29092'),
      new PortForward('postgres', '25432:5432'),
      new PortForward('wallet-sandbox', '4010:4010'),
    );
    const answers = (): Promise<boolean> =>
      runSql(this.walletUrl, 'SELECT 1').then(
        () => true,
        () => false,
      );
    await waitUntil(answers, { what: 'a way to Postgres', timeoutMs: reachMsMax });
    const topics = (): Promise<boolean> =>
      createTopics({ brokers: this.brokers, isReal: true, version: '', origin: '' }, topicNames, partitions).then(
        () => true,
        () => false,
      );
    await waitUntil(topics, { what: 'topics', timeoutMs: reachMsMax });
    for (const [name, entries] of Object.entries(secrets)) await this.setSecret(name, entries);
    await writeFile(join(this.folder, 'values.yaml'), stringify(valuesOf(images)));
  }

  /** As docs/kubernetes.md says; installs or upgrades. @returns once every pod is ready */
  async upgrade(...more: readonly string[]): Promise<void> {
    await this.install(chart, more);
  }

  /** The release before, by its own chart. @returns its tag */
  async installBefore(image: string): Promise<string> {
    const tag = (await this.execute('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^'])).trim();
    const unpack = 'git archive "$1" deploy/helm/loyaltyd | tar -x -C "$2"';
    await this.execute('bash', ['-o', 'pipefail', '-c', unpack, 'bash', tag, this.folder]);
    const { repository, tag: imageTag } = imageOf(image);
    const named = ['--set', `image.repository=${repository}`, '--set', `image.tag=${imageTag}`];
    await this.install(join(this.folder, 'deploy/helm/loyaltyd'), named);
    return tag;
  }

  private async install(from: string, more: readonly string[]): Promise<void> {
    const files = ['--values', join(this.folder, 'values.yaml'), '--set-file', `programs.text=${this.programsPath}`];
    const wait = ['--wait', '--timeout', '4m'];
    await this.execute(this.helm, [
      'upgrade',
      '--install',
      'loyaltyd',
      from,
      '--namespace',
      release,
      ...files,
      ...wait,
      ...more,
    ]);
  }

  /** Whether something tells what pods use: autoscaling by that takes it. */
  async tellsUsage(): Promise<boolean> {
    return this.kubectl(['get', '--raw', '/apis/metrics.k8s.io/v1beta1/nodes']).then(
      () => true,
      () => false,
    );
  }

  /** Under an autoscaler to which any use of a processor is too much. @returns once there are as many pods as it may have */
  async scaleOut(pods: number): Promise<void> {
    const auto = { kind: 'hpa', minReplicas: 2, maxReplicas: pods, cpuPercent: 1 };
    await this.upgrade(
      ...Object.entries(auto).flatMap(([name, value]) => ['--set', `defaults.autoscaling.${name}=${value}`]),
    );
    const areThere = async (): Promise<boolean> => (await this.readyPods()).length >= pods;
    await waitUntil(areThere, { what: `${pods} pods`, timeoutMs: scaleMsMax });
  }

  async test(): Promise<string> {
    return this.execute(this.helm, ['test', 'loyaltyd', '--namespace', release, '--logs']);
  }

  async rollback(): Promise<void> {
    await this.execute(this.helm, ['rollback', 'loyaltyd', '--namespace', release, '--wait', '--timeout', '4m']);
  }

  async restart(): Promise<void> {
    await this.kubectl(['rollout', 'restart', deployment, '--namespace', release]);
    await this.isWell();
  }

  /** Every pod of the release is there and ready. */
  async isWell(): Promise<void> {
    await this.isRolledOut(deployment, release);
  }

  async pods(): Promise<string[]> {
    const output = ['--output', 'jsonpath={.items[*].metadata.name}'];
    const text = await this.kubectl(['get', 'pod', '--namespace', release, '--selector', selector, ...output]);
    return text.split(' ').filter((name) => name !== '');
  }

  async readyPods(): Promise<string[]> {
    const ready = '{range .items[?(@.status.containerStatuses[0].ready==true)]}{.metadata.name} {end}';
    const output = ['--output', `jsonpath=${ready}`];
    const text = await this.kubectl(['get', 'pod', '--namespace', release, '--selector', selector, ...output]);
    return text.split(' ').filter((name) => name !== '');
  }

  /** Closes the node of a pod of ours to new pods, and evicts ours from it as far as the budget allows. */
  async drainNode(): Promise<void> {
    const output = ['--output', 'jsonpath={.items[0].spec.nodeName}'];
    this.drained = await this.kubectl(['get', 'pod', '--namespace', release, '--selector', selector, ...output]);
    const ours = ['--pod-selector', selector, '--delete-emptydir-data', `--timeout=${drainSecondsMax}s`];
    await this.kubectl(['drain', this.drained, ...ours]).catch((error: unknown) => {
      const { stderr = '' } = error as { readonly stderr?: string };
      if (!stderr.includes('global timeout reached')) throw error;
    });
  }

  async openNode(): Promise<void> {
    if (this.drained !== null) await this.kubectl(['uncordon', this.drained]);
    this.drained = null;
  }

  /**
   * Fills what memory the pod's container may have with processes that are each smaller than the daemon, so that the kernel
   * ends that one. @returns once it has been started anew
   */
  async exhaustMemory(pod: string): Promise<void> {
    const status = async (path: string): Promise<string> =>
      this.kubectl(['get', 'pod', pod, '--namespace', release, '--output', `jsonpath={${path}}`]);
    const container = '.status.containerStatuses[0]';
    const before = Number(await status(`${container}.restartCount`));
    await this.kubectl(['exec', '--namespace', release, pod, '--', 'node', '-e', eatMemory]).catch(() => undefined);
    const hasRestarted = async (): Promise<boolean> => Number(await status(`${container}.restartCount`)) > before;
    await waitUntil(hasRestarted, { what: 'a pod to be killed for memory', timeoutMs: reachMsMax });
    const reason = await status(`${container}.lastState.terminated.reason`);
    if (reason !== 'OOMKilled') throw new Error(`the pod was not killed for memory, but ended as ${reason}`);
  }

  async deleteByForce(pods: readonly string[]): Promise<void> {
    await this.kubectl(['delete', 'pod', ...pods, '--namespace', release, '--force', '--grace-period=0']);
  }

  /** @returns whether the disruption budget allowed it */
  async evict(pod: string): Promise<boolean> {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: release } };
    const path = join(this.folder, 'eviction.json');
    await writeFile(path, JSON.stringify(eviction));
    const url = `/api/v1/namespaces/${release}/pods/${pod}/eviction`;
    try {
      await this.kubectl(['create', '--raw', url, '--filename', path]);
      return true;
    } catch (error) {
      if (String(error).includes('disruption budget')) return false;
      throw error;
    }
  }

  /** Ends the first process of a part's pod as often as `times` says: from the second time on Kubernetes lets it wait. */
  async crash(part: Exclude<Part, 'daemon'>, times: number): Promise<void> {
    for (let time = 1; time <= times; time += 1) {
      const before = await this.restarts(part);
      await this.kubectl(['exec', '--namespace', infra, `${part}-0`, '--', 'sh', '-c', 'kill -INT 1']).catch(
        () => undefined,
      );
      await waitUntil(async () => (await this.restarts(part)) > before, {
        what: `${part} to end`,
        timeoutMs: reachMsMax,
      });
      await this.isRolledOut(`statefulset/${part}`, infra);
    }
  }

  async setSecret(name: string, entries: Readonly<Record<string, string>>): Promise<void> {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: release }, stringData: entries };
    await this.apply(name, JSON.stringify(secret));
  }

  /** The running role's password, there and in its secret; open connections are ended once the pods have followed. */
  async rotatePassword(password: string, followMs: number): Promise<void> {
    await runSql(this.truthUrl, `ALTER ROLE daemon PASSWORD '${password}'`);
    await this.setSecret('loyaltyd-database', { url: databaseUrl('daemon', password) });
    await sleep(followMs);
    await runSql(this.truthUrl, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'daemon'");
    await this.isWell();
  }

  async logs(): Promise<string> {
    return this.kubectl(['logs', '--namespace', release, '--selector', selector, '--tail=-1']);
  }

  async remove(): Promise<void> {
    await this.openNode().catch(() => undefined);
    await this.execute(this.helm, ['uninstall', 'loyaltyd', '--namespace', release, '--wait']).catch(() => undefined);
    await Promise.all(this.forwards.map((forward) => forward.stop()));
    await this.kubectl(['delete', 'namespace', release, infra, '--ignore-not-found', `--timeout=${removeSecondsMax}s`]);
  }

  private async restarts(part: Part): Promise<number> {
    const output = ['--output', 'jsonpath={.status.containerStatuses[0].restartCount}'];
    return Number(await this.kubectl(['get', 'pod', `${part}-0`, '--namespace', infra, ...output]));
  }

  private async isRolledOut(what: string, namespace: string): Promise<void> {
    await this.kubectl(['rollout', 'status', what, '--namespace', namespace, '--timeout=180s']);
  }

  private async apply(name: string, manifest: string): Promise<void> {
    const path = join(this.folder, `${name}.manifest`);
    await writeFile(path, manifest);
    await this.kubectl(['apply', '--filename', path]);
  }

  private kubectl(args: readonly string[]): Promise<string> {
    return this.execute('kubectl', args);
  }

  private async execute(file: string, args: readonly string[]): Promise<string> {
    const { stdout } = await run(file, [...args], { timeout: commandMsMax, maxBuffer: outputBytesMax, cwd: root });
    return stdout;
  }
}
