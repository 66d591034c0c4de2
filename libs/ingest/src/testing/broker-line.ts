import { connect } from 'node:net';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { TcpProxy } from './tcp-proxy.js';

/** The way to a broker, which can be cut. */
export interface BrokerLine {
  readonly proxy: TcpProxy;
  readonly connection: () => KafkaConnection;
}

/** Every connection of a client with this `connection` goes through the proxy, whatever address the broker tells. */
export async function brokerLine(brokers: string): Promise<BrokerLine> {
  const [host = '', port = ''] = brokers.split(':');
  const proxy = await TcpProxy.open({ host, port: Number(port) });
  const connection = (): KafkaConnection => ({
    brokers: [brokers],
    clientId: 'loyaltyd-spec',
    socketFactory: ({ onConnect }) => connect({ host: '127.0.0.1', port: proxy.port }, onConnect),
  });
  return { proxy, connection };
}
