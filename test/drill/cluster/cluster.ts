import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { stringify } from 'yaml';

import { waitUntil } from '#embedded';
import { checkoutRoot, createTestAuthority, createTopics, queryOnce } from '#test-support';

import { partitions } from '../installation/chaos-harness.js';
import { topicNames } from '../installation/programs.js';
import type { Installation } from '../drill.js';
import type { CertificateSecrets } from './certificates.js';
import { certificateSecrets } from './certificates.js';
import { apply, execute, kubectl, PortForward, rolledOut, secretOf } from './kubernetes.js';
import type { ClusterOptions, Part } from './options.js';
import { databaseUrl, imageOf, infra, release, secondPassword, secrets, valuesOf } from './release.js';

const selector = 'app.kubernetes.io/instance=loyaltyd,app.kubernetes.io/component=all';
const deployment = 'deployment/loyaltyd-all';

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

export const chart = join(checkoutRoot, 'deploy/helm/loyaltyd');

/** Values of `defaults.autoscaling`. */
export type Autoscaling = Readonly<Record<string, string | number>>;

/** The release and what it needs, in two namespaces of a cluster. */
export class Cluster implements Installation {
  readonly brokers = 'localhost:29092';
  private readonly admin = 'postgres://administrator:administrator@127.0.0.1:25432';
  readonly truthUrl = `${this.admin}/loyaltyd`;
  readonly walletUrl = `${this.admin}/wallet_sandbox`;
  readonly sandboxUrl = 'http://127.0.0.1:4010';
  private readonly forwards: PortForward[] = [];
  private authority = createTestAuthority('drill, first');
  private helm = 'helm';
  private drained: string | null = null;

  constructor(
    private readonly options: Pick<ClusterOptions, 'images'>,
    private readonly folder: string,
    private readonly programsPath: string,
  ) {}

  async versions(): Promise<Readonly<Record<string, string>>> {
    const version = JSON.parse(await kubectl('version', '--output', 'json')) as {
      readonly serverVersion: { readonly gitVersion: string };
    };
    const helm = await execute(this.helm, ['version', '--short']);
    return { Kubernetes: version.serverVersion.gitVersion, Helm: helm.trim() };
  }

  /** Kafka, Postgres and the sandbox, and the ways to them. */
  async prepare(): Promise<void> {
    this.helm = (await execute('bash', [join(checkoutRoot, '.ci/helm')])).trim();
    const { images } = this.options;
    await this.fill('infrastructure', { RELEASE: release, KAFKA: images.kafka, POSTGRES: images.postgres });
    await this.setCertificates(certificateSecrets(infra, this.authority));
    for (const name of ['postgres', 'kafka'] as const) await rolledOut(`statefulset/${name}`, infra);
    await this.addPartner('wallet-sandbox', 'wallet_sandbox');
    this.forwards.push(
      new PortForward(infra, 'kafka', '29092:29092'),
      new PortForward(infra, 'postgres', '25432:5432'),
      new PortForward(infra, 'wallet-sandbox', '4010:4010'),
    );
    const answers = (): Promise<boolean> =>
      queryOnce(this.walletUrl, 'SELECT 1').then(
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

  private async fill(manifest: string, names: Readonly<Record<string, string>>): Promise<void> {
    const template = await readFile(join(checkoutRoot, `test/drill/cluster/${manifest}.yaml`), 'utf8');
    const text = Object.entries({ INFRA: infra, ...names }).reduce(
      (filled, [name, value]) => filled.replaceAll(`@${name}@`, value),
      template,
    );
    await apply(this.folder, names['PARTNER'] ?? manifest, text);
  }

  private async addPartner(name: string, database: string): Promise<void> {
    const image = this.options.images['wallet-sandbox'];
    await this.fill('partner', { PARTNER: name, DATABASE: database, SANDBOX: image, CONTROL: 'control-of-the-drill' });
    await rolledOut(`statefulset/${name}`, infra);
  }

  /** As docs/kubernetes.md says; installs or upgrades. @returns once every pod is ready */
  async upgrade(...more: readonly string[]): Promise<void> {
    await this.install(chart, more);
  }

  /** The release before, by its own chart. @returns its tag */
  async installBefore(image: string): Promise<string> {
    const tag = (await execute('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^'])).trim();
    const unpack = 'git archive "$1" deploy/helm/loyaltyd | tar -x -C "$2"';
    await execute('bash', ['-o', 'pipefail', '-c', unpack, 'bash', tag, this.folder]);
    const { repository, tag: imageTag } = imageOf(image);
    const named = ['--set', `image.repository=${repository}`, '--set', `image.tag=${imageTag}`];
    await this.install(join(this.folder, 'deploy/helm/loyaltyd'), named);
    return tag;
  }

  private async install(from: string, more: readonly string[]): Promise<void> {
    const files = ['--values', join(this.folder, 'values.yaml'), '--set-file', `programs.text=${this.programsPath}`];
    const how = ['--namespace', release, '--wait', '--timeout', '4m'];
    await execute(this.helm, ['upgrade', '--install', 'loyaltyd', from, ...how, ...files, ...more]);
  }

  /** Nothing of the release may be left but what its owner made. */
  async uninstall(): Promise<void> {
    await execute(this.helm, ['uninstall', 'loyaltyd', '--namespace', release, '--wait']);
    const kinds = 'deployment,job,service,configmap,poddisruptionbudget,serviceaccount';
    const ours = ['--namespace', release, '--selector', 'app.kubernetes.io/instance=loyaltyd', '--output', 'name'];
    const left = (await kubectl('get', kinds, ...ours)).trim();
    if (left !== '') throw new Error(`helm uninstall has left ${left.replaceAll('\n', ', ')}`);
  }

  /** Whether the cluster serves a part of its API that something else has to bring. */
  async serves(api: string): Promise<boolean> {
    return kubectl('get', '--raw', `/apis/${api}`).then(
      () => true,
      () => false,
    );
  }

  /** Under an autoscaler to which the least is too much. @returns once there are as many pods as it may have */
  async scaleOut(pods: number, by: Autoscaling): Promise<void> {
    const auto = { ...by, minReplicas: 2, maxReplicas: pods };
    await this.upgrade(
      ...Object.entries(auto).flatMap(([name, value]) => ['--set', `defaults.autoscaling.${name}=${value}`]),
    );
    const areThere = async (): Promise<boolean> => (await this.readyPods()).length >= pods;
    await waitUntil(areThere, { what: `${pods} pods`, timeoutMs: scaleMsMax });
  }

  async test(): Promise<string> {
    return execute(this.helm, ['test', 'loyaltyd', '--namespace', release, '--logs']);
  }

  async rollback(): Promise<void> {
    await execute(this.helm, ['rollback', 'loyaltyd', '--namespace', release, '--wait', '--timeout', '4m']);
  }

  async restart(): Promise<void> {
    await kubectl('rollout', 'restart', deployment, '--namespace', release);
    await this.isWell();
  }

  /** Every pod of the release is there and ready. */
  async isWell(): Promise<void> {
    await rolledOut(deployment, release);
  }

  async pods(): Promise<string[]> {
    const output = ['--output', 'jsonpath={.items[*].metadata.name}'];
    const text = await kubectl('get', 'pod', '--namespace', release, '--selector', selector, ...output);
    return text.split(' ').filter((name) => name !== '');
  }

  async readyPods(): Promise<string[]> {
    const ready = '{range .items[?(@.status.containerStatuses[0].ready==true)]}{.metadata.name} {end}';
    const output = ['--output', `jsonpath=${ready}`];
    const text = await kubectl('get', 'pod', '--namespace', release, '--selector', selector, ...output);
    return text.split(' ').filter((name) => name !== '');
  }

  /** Closes the node of a pod of ours to new pods, and evicts ours from it as far as the budget allows. */
  async drainNode(): Promise<void> {
    const output = ['--output', 'jsonpath={.items[0].spec.nodeName}'];
    this.drained = await kubectl('get', 'pod', '--namespace', release, '--selector', selector, ...output);
    const ours = ['--pod-selector', selector, '--delete-emptydir-data', `--timeout=${drainSecondsMax}s`];
    await kubectl('drain', this.drained, ...ours).catch((error: unknown) => {
      const { stderr = '' } = error as { readonly stderr?: string };
      if (!stderr.includes('global timeout reached')) throw error;
    });
  }

  async openNode(): Promise<void> {
    if (this.drained !== null) await kubectl('uncordon', this.drained);
    this.drained = null;
  }

  /**
   * Fills what memory the pod's container may have with processes that are each smaller than the daemon, so that the kernel
   * ends that one. @returns once it has been started anew
   */
  async exhaustMemory(pod: string): Promise<void> {
    const status = async (path: string): Promise<string> =>
      kubectl('get', 'pod', pod, '--namespace', release, '--output', `jsonpath={${path}}`);
    const container = '.status.containerStatuses[0]';
    const before = Number(await status(`${container}.restartCount`));
    await kubectl('exec', '--namespace', release, pod, '--', 'node', '-e', eatMemory).catch(() => undefined);
    const hasRestarted = async (): Promise<boolean> => Number(await status(`${container}.restartCount`)) > before;
    await waitUntil(hasRestarted, { what: 'a pod to be killed for memory', timeoutMs: reachMsMax });
    const reason = await status(`${container}.lastState.terminated.reason`);
    if (reason !== 'OOMKilled') throw new Error(`the pod was not killed for memory, but ended as ${reason}`);
  }

  async deleteByForce(pods: readonly string[]): Promise<void> {
    await kubectl('delete', 'pod', ...pods, '--namespace', release, '--force', '--grace-period=0');
  }

  /** @returns whether the disruption budget allowed it */
  async evict(pod: string): Promise<boolean> {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: release } };
    const path = join(this.folder, 'eviction.json');
    await writeFile(path, JSON.stringify(eviction));
    const url = `/api/v1/namespaces/${release}/pods/${pod}/eviction`;
    try {
      await kubectl('create', '--raw', url, '--filename', path);
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
      await kubectl('exec', '--namespace', infra, `${part}-0`, '--', 'sh', '-c', 'kill -INT 1').catch(() => undefined);
      await waitUntil(async () => (await this.restarts(part)) > before, {
        what: `${part} to end`,
        timeoutMs: reachMsMax,
      });
      await rolledOut(`statefulset/${part}`, infra);
    }
  }

  private async setSecret(name: string, entries: Readonly<Record<string, string>>): Promise<void> {
    await apply(this.folder, name, secretOf(name, release, entries));
  }

  private async setCertificates(made: CertificateSecrets): Promise<void> {
    const own = { [infra]: made.infra, [release]: made.release };
    for (const [namespace, secrets] of Object.entries(own)) {
      for (const [name, entries] of Object.entries(secrets)) {
        await apply(this.folder, name, secretOf(name, namespace, entries));
      }
    }
  }

  /**
   * Another authority signs everything: what Kafka and Postgres show, and what the release shows to Kafka. Servers take theirs over
   * once everybody trusts both, connections are made anew, and then nobody trusts the old one.
   */
  async replaceCertificates(followMs: number): Promise<void> {
    const old = this.authority;
    this.authority = createTestAuthority('drill, second');
    await this.setCertificates(certificateSecrets(infra, this.authority, old));
    await sleep(followMs);
    await queryOnce(this.truthUrl, 'SELECT pg_reload_conf()');
    await this.endSessions();
    await this.crash('kafka', 1);
    await this.setCertificates(certificateSecrets(infra, this.authority));
    await this.isWell();
  }

  /** The running role's password, there and in its secret; open connections are ended once the pods have followed. */
  async rotatePassword(followMs: number): Promise<void> {
    await queryOnce(this.truthUrl, `ALTER ROLE daemon PASSWORD '${secondPassword}'`);
    await this.setSecret('loyaltyd-database', { url: databaseUrl('daemon', secondPassword) });
    await sleep(followMs);
    await this.endSessions();
    await this.isWell();
  }

  private async endSessions(): Promise<void> {
    await queryOnce(this.truthUrl, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'daemon'");
  }

  async logs(): Promise<string> {
    return kubectl('logs', '--namespace', release, '--selector', selector, '--tail=-1');
  }

  async remove(): Promise<void> {
    await this.openNode().catch(() => undefined);
    await execute(this.helm, ['uninstall', 'loyaltyd', '--namespace', release, '--wait']).catch(() => undefined);
    await Promise.all(this.forwards.map((forward) => forward.stop()));
    await kubectl('delete', 'namespace', release, infra, '--ignore-not-found', `--timeout=${removeSecondsMax}s`);
  }

  private async restarts(part: Part): Promise<number> {
    const output = ['--output', 'jsonpath={.status.containerStatuses[0].restartCount}'];
    return Number(await kubectl('get', 'pod', `${part}-0`, '--namespace', infra, ...output));
  }
}
