import type { LoadJob, LoadKind, LoadTarget } from './load-job.js';

const programPath = '/brands/101/programs/2001';
/** The largest that partner-api.md 4.5 allows. */
export const listPageSize = 2_000;
/** Prime, so that members come in an order that no index of the sandbox's is sorted by. */
const memberStride = 7_919;

type Build = (job: LoadJob, index: number) => { readonly line: string; readonly body: string };

const memberOf = ({ passes }: LoadJob, index: number): string => `m_${(index * memberStride) % passes}`;

const builders: Readonly<Record<LoadKind, Build>> = {
  transaction: (job, index) => ({
    line: `POST ${programPath}/transaction-types/31/transactions?unique_id=${memberOf(job, index)}`,
    body: JSON.stringify({
      amount: 59.99,
      transactionDate: '2026-11-21T09:15:04.000Z',
      attributes: { store: `s_${index % 50}`, receipt: `${job.run}-${index}` },
    }),
  }),
  issue: ({ run }, index) => ({
    line: `POST ${programPath}/issue-wallet`,
    body: JSON.stringify({
      person: { firstName: 'Ada', lastName: `L${index}`, email: `${run}_${index}@example.com` },
      passdata: { points: 100, metaData: { memberId: `${run}_${index}` } },
    }),
  }),
  lookup: (job, index) => ({ line: `GET ${programPath}/wallets?unique_id=${memberOf(job, index)}`, body: '' }),
  reward: (job, index) => ({
    line: `POST ${programPath}/rewards/9001/wallet-pass?unique_id=${memberOf(job, index)}`,
    body: '',
  }),
  list: ({ passes }, index) => {
    const page = 1 + (index % Math.max(1, Math.floor(passes / listPageSize)));
    return { line: `GET ${programPath}/wallet-passes?pageSize=${listPageSize}&pageNumber=${page}`, body: '' };
  },
};

/** Writes the requests of a job, as they go over the wire. */
export const requestWriter = (job: LoadJob, { host, port, token }: LoadTarget): ((index: number) => string) => {
  const build = builders[job.kind];
  const head = ` HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: Bearer ${token}\r\n`;
  return (index) => {
    const { line, body } = build(job, index);
    if (body === '') return `${line}${head}content-length: 0\r\n\r\n`;
    return `${line}${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
};
