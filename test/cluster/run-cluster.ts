import { appendFile } from 'node:fs/promises';

import type { Story } from '../drill/drill.js';
import { runDrill } from '../drill/drill.js';
import { withDrillFolder } from '../drill/drill-folder.js';
import type { DrillReport } from '../drill/report.js';
import { Cluster } from './cluster.js';
import type { ClusterOptions } from './options.js';

/** The kubelet brings changed secrets to the pods within a minute and a half; the daemon looks every few seconds. */
const secretsFollowMs = 100_000;

const notPlayed = [
  'an upgrade from the release before: none is tagged yet',
  'a drained node: that takes two of them',
  'autoscaling: that takes a metrics server and KEDA',
  'pods killed for memory',
];

function storiesOf(cluster: Cluster, programsPath: string): Story[] {
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
  return [
    { what: 'pods replaced one by one', play: () => cluster.restart() },
    { what: 'both pods deleted by force', play: deleteAll },
    { what: 'both pods evicted, of which the budget lets one go', play: evictAll },
    { what: 'another programs file, no pod replaced', play: changePrograms },
    { what: 'upgraded and rolled back', play: upgradeAndBack },
    { what: 'database password rotated', play: () => cluster.rotatePassword('second', secretsFollowMs) },
    { what: 'Postgres ended three times', play: () => cluster.crash('postgres', 3) },
    { what: 'Kafka ended twice', play: () => cluster.crash('kafka', 2) },
    { what: 'the partner ended twice', play: () => cluster.crash('wallet-sandbox', 2) },
  ];
}

/** Installs everything, plays every story, judges, and removes everything, whatever happens. */
export function runCluster(options: ClusterOptions): Promise<DrillReport> {
  return withDrillFolder(async ({ folder, programsPath, say, undo }) => {
    const cluster = new Cluster(options, folder, programsPath);
    undo.add(() => cluster.remove());
    say('Kafka, Postgres and the sandbox');
    await cluster.prepare();
    say('installing the release, as a plain owner of its database');
    await cluster.upgrade();
    const tested = await cluster.test();
    say(`helm test: ${tested.includes('Phase:          Succeeded') ? 'succeeded' : tested}`);
    const { seed, rate, calmSeconds } = options;
    return runDrill(
      { installation: cluster, folder, programsPath, say },
      {
        command: `npm run cluster -- --seed ${seed} --rate ${rate}`,
        ...{ seed, rate, calmSeconds },
        stories: storiesOf(cluster, programsPath),
        skipped: notPlayed,
      },
    );
  });
}
