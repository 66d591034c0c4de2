import { appendFile } from 'node:fs/promises';

import { partitions } from '../installation/chaos-harness.js';
import type { Bar } from '../chaos/report.js';
import type { Story } from '../drill.js';
import { runDrill } from '../drill.js';
import { withDrillFolder } from '../drill-folder.js';
import type { DrillReport } from '../report.js';
import type { Autoscaling } from './cluster.js';
import { Cluster } from './cluster.js';
import type { ClusterOptions } from './options.js';

/** The kubelet brings changed secrets to the pods within a minute and a half; the daemon looks every few seconds. */
const secretsFollowMs = 100_000;

const noRelease = 'an upgrade from the release before: no --image before';
const noUsage = 'autoscaling by processor: nothing here tells what pods use';

const noLag = 'autoscaling by consumer lag: there is no KEDA here';
const usageApi = 'metrics.k8s.io/v1beta1/nodes';
const lagApi = 'external.metrics.k8s.io/v1beta1';

/** As many pods as the cluster's one node has room for beside everything else. */
const podsMax = 3;

/** Any use is too much. */
const usage: Autoscaling = { kind: 'hpa', cpuPercent: 1 };
/** Any record that is not consumed yet is too much; no use of processors is. */
const lag: Autoscaling = { kind: 'keda', lagThreshold: 1, partitions, cpuPercent: 100_000 };

interface Setting {
  readonly cluster: Cluster;
  readonly programsPath: string;
  /** The tag of the release that is installed; null: this one is. */
  readonly before: string | null;
  readonly tellsUsage: boolean;
  readonly tellsLag: boolean;
}

function notPlayed({ before, tellsUsage, tellsLag }: Setting): string[] {
  return [...(before === null ? [noRelease] : []), ...(tellsUsage ? [] : [noUsage]), ...(tellsLag ? [] : [noLag])];
}

function storiesOf({ cluster, programsPath, before: release, tellsUsage, tellsLag }: Setting): Story[] {
  const deleteAll = async (): Promise<void> => {
    await cluster.deleteByForce(await cluster.pods());
    await cluster.isWell();
  };
  const evictAll = async (): Promise<void> => {
    const [first = '', second = ''] = await cluster.pods();
    if (!(await cluster.evict(first))) throw new Error('the disruption budget lets nobody go');
    if (await cluster.evict(second)) throw new Error('the disruption budget let both go');
    await cluster.isWell();
  };
  /** Where there is no other node for them the budget keeps one pod until the node is back. */
  const drainNode = async (): Promise<void> => {
    const before = await cluster.pods();
    await cluster.drainNode();
    const after = await cluster.readyPods();
    if (after.length === 0) throw new Error('the drain has left no pod');
    if (before.every((pod) => after.includes(pod))) throw new Error('the drain has moved no pod');
    await cluster.openNode();
    await cluster.isWell();
  };
  const exhaustMemory = async (): Promise<void> => {
    const [pod = ''] = await cluster.pods();
    await cluster.exhaustMemory(pod);
    await cluster.isWell();
  };
  const changePrograms = async (): Promise<void> => {
    const before = await cluster.pods();
    await appendFile(programsPath, '\n# looked over\n');
    await cluster.upgrade();
    const after = await cluster.pods();
    if (before.some((pod) => !after.includes(pod))) throw new Error('another programs file replaced a pod');
  };
  const upgradeAndBack = async (): Promise<void> => {
    await cluster.upgrade('--set', 'config.SHUTDOWN_GRACE_MS=14000');
    await cluster.rollback();
    await cluster.isWell();
  };
  const scaleOutAndBack = async (by: Autoscaling): Promise<void> => {
    await cluster.scaleOut(podsMax, by);
    await cluster.upgrade();
    await cluster.isWell();
  };
  const upgraded = release === null ? [] : [{ what: `upgraded from ${release}`, play: () => cluster.upgrade() }];
  const byUsage = {
    what: `scaled out to ${podsMax} pods by processor time, and back`,
    play: () => scaleOutAndBack(usage),
  };
  const byLag = { what: `scaled out to ${podsMax} pods by consumer lag, and back`, play: () => scaleOutAndBack(lag) };
  return [
    ...upgraded,
    { what: 'pods replaced one by one', play: () => cluster.restart() },
    { what: 'both pods deleted by force', play: deleteAll },
    { what: 'both pods evicted, of which the budget lets one go', play: evictAll },
    { what: 'their node drained', play: drainNode },
    { what: 'a pod killed for memory', play: exhaustMemory },
    { what: 'another programs file, no pod replaced', play: changePrograms },
    { what: 'upgraded and rolled back', play: upgradeAndBack },
    ...(tellsUsage ? [byUsage] : []),
    ...(tellsLag ? [byLag] : []),
    { what: 'database password rotated', play: () => cluster.rotatePassword(secretsFollowMs) },
    {
      what: 'every certificate and their authority replaced',
      play: () => cluster.replaceCertificates(secretsFollowMs),
    },
    { what: 'Postgres ended three times', play: () => cluster.crash('postgres', 3) },
    { what: 'Kafka ended twice', play: () => cluster.crash('kafka', 2) },
    { what: 'the partner ended twice', play: () => cluster.crash('wallet-sandbox', 2) },
  ];
}

/** The release goes, and leaves nothing. */
async function uninstall(cluster: Cluster, say: (text: string) => void): Promise<readonly Bar[]> {
  say('uninstalled');
  await cluster.uninstall();
  return [];
}

/** Installs everything, plays every story, judges, and removes everything, whatever happens. */
export function runCluster(options: ClusterOptions): Promise<DrillReport> {
  return withDrillFolder(async ({ folder, programsPath, say, undo }) => {
    const cluster = new Cluster(options, folder, programsPath);
    undo.add(() => cluster.remove());
    say('Kafka, Postgres and the sandbox');
    await cluster.prepare();
    const image = options.images.before;
    say(`installing the release${image === undefined ? '' : ' before'}, as a plain owner of its database`);
    const before = image === undefined ? null : await cluster.installBefore(image);
    if (before === null) await cluster.upgrade();
    const tested = await cluster.test();
    say(`helm test: ${tested.includes('Phase:          Succeeded') ? 'succeeded' : tested}`);
    const setting = {
      cluster,
      programsPath,
      before,
      tellsUsage: await cluster.serves(usageApi),
      tellsLag: await cluster.serves(lagApi),
    };
    const { seed, rate, calmSeconds } = options;
    return runDrill(
      { installation: cluster, folder, programsPath, say },
      {
        command: `npm run drill -- cluster --seed ${seed} --rate ${rate}`,
        ...{ seed, rate, calmSeconds },
        stories: storiesOf(setting),
        skipped: notPlayed(setting),
        more: () => uninstall(cluster, say),
      },
    );
  });
}
