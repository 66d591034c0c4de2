import type { Socket } from 'node:net';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import kafkajs from 'kafkajs';
import type { Admin, Kafka } from 'kafkajs';

import type { Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { withAdmin } from '../source/kafka/kafka-facts.js';
import { kafkaLogCreator } from '../source/kafka/kafka-logger.js';
import { silenceTimeoutWarning } from '../source/kafka/silence-timeout-warning.js';

/** Somebody waits for the answer: one try, and soon. */
const connectTimeoutMs = 4_000;
const requestTimeoutMs = 3_000;

/** A client that looks once instead of trying again and again. */
function inspectionClient(connection: KafkaConnection, logger: Logger): Kafka {
  return new kafkajs.Kafka({
    ...connection,
    connectionTimeout: connectTimeoutMs,
    authenticationTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
    logCreator: kafkaLogCreator(logger),
  });
}

type SocketFactory = NonNullable<KafkaConnection['socketFactory']>;

/** As KafkaJS connects by itself. */
const plainSocket: SocketFactory = ({ host, port, ssl, onConnect }) => {
  // Without TLS KafkaJS hands over `false`, whatever its types say.
  if (!(ssl as unknown)) return connectTcp({ host, port }, onConnect);
  return connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...ssl }, onConnect);
};

function rememberingSockets(connect: SocketFactory = plainSocket): {
  readonly socketFactory: SocketFactory;
  readonly sockets: readonly Socket[];
} {
  const sockets: Socket[] = [];
  const socketFactory: SocketFactory = (asked) => {
    const socket = connect(asked);
    sockets.push(socket);
    return socket;
  };
  return { socketFactory, sockets };
}

/** Runs one look on a connection of its own. @throws KafkaJS' errors: see `kafkaTrouble` */
export async function look<T>(
  connection: KafkaConnection,
  logger: Logger,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const unsilence = silenceTimeoutWarning();
  const { socketFactory, sockets } = rememberingSockets(connection.socketFactory);
  try {
    return await withAdmin(inspectionClient({ ...connection, socketFactory }, logger), work);
  } finally {
    // KafkaJS says goodbye and leaves: a broker that hangs never answers that, and the socket would stay for ever.
    for (const socket of sockets) socket.destroy();
    unsilence();
  }
}
