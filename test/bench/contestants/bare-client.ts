import axios from 'axios';
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { Dispatcher } from 'undici';
import { Agent } from 'undici';

import type { Contestant } from './contestant.js';
import { concurrently, Stopwatch } from './contestant.js';

interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** axios clones plain objects in its configuration, instances it leaves. */
class Carrier {
  constructor(readonly request: WireRequest) {}
}

const connectionsMax = 256;
const timeoutMs = 10_000;
/** axios merges its defaults anew for each request; the gateway drops the rest too. */
const defaultsKept = ['adapter', 'transformRequest', 'transformResponse'];

const exchange = (agent: Agent, request: WireRequest): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => reject(new Error('timeout')), timeoutMs);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        clearTimeout(timer);
        resolve(Buffer.concat(chunks));
      },
      onResponseError: (_controller, error) => {
        clearTimeout(timer);
        reject(error);
      },
    };
    agent.dispatch(request, handler);
  });

/** What was asked and what came back. */
export interface PostedTransaction {
  readonly path: string;
  readonly body: string;
  readonly answer: string;
}

/** Posts one transaction and reads the answer as JSON: nothing else. */
export interface BareClient {
  postTransaction(member: number, rank: number): Promise<PostedTransaction>;
  close(): Promise<void>;
}

/** The gateway's HTTP client without the gateway: axios on undici, with the same settings. */
export const bareClient = (origin: string): BareClient => {
  const agent = new Agent({ connections: connectionsMax, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  const adapter = async (config: InternalAxiosRequestConfig<Carrier>): Promise<AxiosResponse<Buffer>> => {
    if (config.data === undefined) throw new TypeError('nothing to send');
    const data = await exchange(agent, config.data.request);
    return { data, status: 200, statusText: '', headers: {}, config };
  };
  const http = axios.create({ adapter, transformRequest: [], transformResponse: [] });
  for (const key of Object.keys(http.defaults)) {
    if (!defaultsKept.includes(key)) Reflect.deleteProperty(http.defaults, key);
  }
  const headers = {
    authorization: 'Bearer bench-token',
    'content-type': 'application/json',
    accept: 'application/json',
  };
  const postTransaction = async (member: number, rank: number): Promise<PostedTransaction> => {
    const path = `/brands/101/programs/2001/transaction-types/31/transactions?unique_id=m_${member}`;
    const attributes = { store: 'berlin-07', receipt: `${member}-${rank}`, campaign: 'autumn' };
    const body = JSON.stringify({ amount: 59.99, transactionDate: '2026-11-21T09:15:04.000Z', attributes });
    const request = { origin, path, method: 'POST', headers, body } as const;
    const { data } = await http.request<Buffer>({ method: 'POST', url: path, data: new Carrier(request) });
    const answer = data.toString();
    JSON.parse(answer);
    return { path, body, answer };
  };
  return { postTransaction, close: () => agent.destroy() };
};

/** A loop of the HTTP client alone: no database, no order to keep, nothing recorded. */
export const bareLoop: Contestant = async (input) => {
  const client = bareClient(input.stubOrigin);
  const watch = new Stopwatch();
  const done = await concurrently(input, async (member, rank) => {
    await client.postTransaction(member, rank);
  });
  const figures = watch.read(done);
  await client.close();
  return figures;
};
