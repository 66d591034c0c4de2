import type { Admin } from 'kafkajs';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import type { ReadRights } from '../../driver.js';
import { type AdminBroker, clusterOf } from './kafka-client.js';

// KafkaJS speaks older versions of these requests, in which no broker says what we may do (KIP-430, Kafka 2.3).
const metadata = { apiKey: 3, apiVersion: 8, apiName: 'Metadata' } as const;
const describeGroups = { apiKey: 15, apiVersion: 3, apiName: 'DescribeGroups' } as const;

/** Bit of `READ` in what a broker says that we may do. */
const readBit = 3;
/** What it says where it does not say. */
const untold = -(2 ** 31);

const mayRead = (operations: number): boolean | null =>
  operations === untold ? null : ((operations >> readBit) & 1) === 1;

function exchangeOf(
  request: { readonly apiKey: number; readonly apiVersion: number; readonly apiName: string },
  body: () => Encoder,
  read: (decoder: Decoder) => unknown,
): object {
  return {
    request: { ...request, encode: () => Promise.resolve(body()) },
    response: {
      decode: (bytes: Buffer) => Promise.resolve(read(new Decoder(bytes))),
      parse: (answer: unknown) => Promise.resolve(answer),
    },
  };
}

function skipPartition(decoder: Decoder): void {
  decoder.readInt16(); // error
  for (let field = 0; field < 3; field += 1) decoder.readInt32(); // partition, leader, leader's epoch
  for (let list = 0; list < 3; list += 1) decoder.readArray((each) => each.readInt32()); // replicas
}

function readTopics(decoder: Decoder): ReadonlyMap<string, boolean | null> {
  decoder.readInt32(); // throttle time
  decoder.readArray((broker) => {
    broker.readInt32(); // node
    broker.readString(); // host
    broker.readInt32(); // port
    broker.readString(); // rack
  });
  decoder.readString(); // cluster
  decoder.readInt32(); // controller
  const topics = decoder.readArray((topic): [string, boolean | null] => {
    const isKnown = topic.readInt16() === 0;
    const name = topic.readString();
    topic.readBoolean(); // is internal
    topic.readArray(skipPartition);
    const may = mayRead(topic.readInt32());
    return [name, isKnown ? may : null];
  });
  return new Map(topics);
}

function readGroup(decoder: Decoder): boolean | null {
  decoder.readInt32(); // throttle time
  const [first = null] = decoder.readArray((group) => {
    const isKnown = group.readInt16() === 0;
    for (let text = 0; text < 4; text += 1) group.readString(); // group, state, kind of protocol, protocol
    group.readArray((member) => {
      for (let text = 0; text < 3; text += 1) member.readString(); // member, client, host
      for (let bytes = 0; bytes < 2; bytes += 1) member.readBytes(); // metadata, assignment
    });
    const may = mayRead(group.readInt32());
    return isKnown ? may : null;
  });
  return first;
}

const speaks = ({ versions }: AdminBroker, { apiKey, apiVersion }: typeof metadata | typeof describeGroups): boolean =>
  (versions[apiKey]?.maxVersion ?? -1) >= apiVersion;

/** Asks without joining anything, and makes no topic. A broker before 2.3 says nothing. */
export async function readRightsOf(admin: Admin, names: readonly string[], groupId: string): Promise<ReadRights> {
  // KafkaJS finds the coordinator only among the brokers that it has heard of.
  await admin.describeCluster();
  const cluster = clusterOf(admin);
  const broker = await cluster.findControllerBroker();
  const topics = speaks(broker, metadata)
    ? await broker.connectionPool.send(
        exchangeOf(
          metadata,
          () => new Encoder().writeArray(names).writeBoolean(false).writeBoolean(false).writeBoolean(true),
          readTopics,
        ),
      )
    : new Map(names.map((name) => [name, null]));
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  const group = speaks(coordinator, describeGroups)
    ? await coordinator.connectionPool.send(
        exchangeOf(describeGroups, () => new Encoder().writeArray([groupId]).writeBoolean(true), readGroup),
      )
    : null;
  return { topics: topics as ReadRights['topics'], group: group as ReadRights['group'] };
}
