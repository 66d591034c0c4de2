import fetchProtocol from 'kafkajs/src/protocol/requests/fetch/index.js';
import type { FetchExchange, FetchParameters } from 'kafkajs/src/protocol/requests/fetch/index.js';
import Decoder from 'kafkajs/src/protocol/decoder.js';

import { withoutAborted } from '../../records/aborted-transactions.js';
import { AnswerBudget, answerLimits, decodeRecordSet } from '../../records/record-set.js';

/** The versions of fetch whose answers we read; brokers of 3.5 and later are spoken to in the last one. */
const versionMin = 4;
/** What came into the answer with which version. */
const since = { logStart: 5, session: 7, clientThrottle: 8, preferredReplica: 11 };

/** From which offset each partition was asked for. */
type Asked = ReadonlyMap<string, number>;

function askedOf({ topics }: FetchParameters): Asked {
  return new Map(
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => [`${topic}/${partition}`, Number(fetchOffset)] as const),
    ),
  );
}

/** Reads one answer in the shape in which KafkaJS reads it (src/protocol/requests/fetch/v4 to v11, 2.2.4). */
class AnswerReader {
  private readonly budget: AnswerBudget;

  constructor(
    private readonly decoder: Decoder,
    private readonly version: number,
    private readonly asked: Asked,
  ) {
    this.budget = new AnswerBudget(limits.batchBytesMax, answerLimits(limits.brokers));
  }

  async read(): Promise<object> {
    const { decoder, version } = this;
    const throttleMs = decoder.readInt32();
    const session = version < since.session ? {} : { errorCode: decoder.readInt16(), sessionId: decoder.readInt32() };
    const responses = await decoder.readArrayAsync(async () => {
      const topicName = decoder.readString();
      return { topicName, partitions: await decoder.readArrayAsync(() => this.readPartition(topicName)) };
    });
    const throttle =
      version < since.clientThrottle
        ? { throttleTime: throttleMs }
        : { throttleTime: 0, clientSideThrottleTime: throttleMs };
    return { ...throttle, ...session, responses };
  }

  private async readPartition(topicName: string): Promise<object> {
    const { decoder, version } = this;
    const partition = decoder.readInt32();
    const head = {
      partition,
      errorCode: decoder.readInt16(),
      highWatermark: String(decoder.readInt64()),
      lastStableOffset: String(decoder.readInt64()),
      ...(version < since.logStart ? {} : { lastStartOffset: String(decoder.readInt64()) }),
    };
    const aborted = decoder.readArray(() => ({
      producerId: String(decoder.readInt64()),
      firstOffset: Number(decoder.readInt64()),
    }));
    const replica = {
      ...(version < since.preferredReplica ? {} : { preferredReadReplica: decoder.readInt32() }),
    };
    const set = decoder.readBytes() ?? Buffer.alloc(0);
    const bounds = { from: this.asked.get(`${topicName}/${partition}`) ?? 0, end: Number(head.highWatermark) };
    const messages = withoutAborted(await decodeRecordSet(set, bounds, this.budget), aborted);
    return { ...head, abortedTransactions: [], ...replica, messages };
  }
}

interface DecompressionLimits {
  /** What one record batch may grow to. */
  readonly batchBytesMax: number;
  /** From how many answers may come at once. */
  readonly brokers: number;
}

const originalProtocol = fetchProtocol.protocol;
let limits: DecompressionLimits = { batchBytesMax: 0, brokers: 1 };

function boundProtocol(by: { readonly version: number }): (parameters: FetchParameters) => FetchExchange {
  const exchangeOf = originalProtocol(by);
  // Brokers of 0.11 and later know a newer one.
  if (by.version < versionMin) throw new Error(`fetch in version ${by.version} is not read`);
  return (parameters) => {
    const exchange = exchangeOf(parameters);
    const asked = askedOf(parameters);
    const decode = (bytes: Buffer): Promise<object> => new AnswerReader(new Decoder(bytes), by.version, asked).read();
    return { ...exchange, response: { ...exchange.response, decode } };
  };
}

/**
 * Puts our own reading of fetched records into KafkaJS: by itself it decompresses all of an answer
 * without a limit, takes all of it apart before anything of it is worked on, and gives the partition up where one batch cannot
 * be read. Calling it again changes the limits.
 */
export function limitDecompression(bounded: DecompressionLimits): void {
  limits = bounded;
  fetchProtocol.protocol = boundProtocol;
}
