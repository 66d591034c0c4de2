/** Any valid identifier: 16 bytes, base64url. */
const clusterId = 'bG95YWx0eWQtdGVzdC1jbA';
const directoryId = 'bG95YWx0eWQtdGVzdC1kaQ';

export interface KafkaPropertiesOptions {
  readonly data: string;
  readonly port: number;
  readonly controllerPort: number;
}

/** server.properties of one node that is broker and controller, with everything small and nothing delayed. */
export const kafkaProperties = ({ data, port, controllerPort }: KafkaPropertiesOptions): string =>
  [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    `log.dirs=${data}`,
    'num.partitions=4',
    'num.network.threads=2',
    'num.io.threads=2',
    'offsets.topic.num.partitions=1',
    'offsets.topic.replication.factor=1',
    'transaction.state.log.num.partitions=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=1000',
    'log.cleaner.dedupe.buffer.size=4194304',
    '',
  ].join('\n');

/** meta.properties, all that `kafka-storage.sh format` writes for us: without it a second start of Java is saved. */
export const kafkaMetaProperties = (): string =>
  ['version=1', `cluster.id=${clusterId}`, 'node.id=1', `directory.id=${directoryId}`, ''].join('\n');
