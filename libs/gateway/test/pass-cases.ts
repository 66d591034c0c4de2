import { type AttemptCase, type Ids, programPath } from './attempt-case.js';

const pass = {
  passId: 7,
  serialNumber: 's-7',
  templateId: 11,
  passdata: { metaData: { memberId: 'm_81273' } },
  statusCode: 'ACTIVE',
  status: 200,
};

const member = ({ brandId, programId, uniqueId }: Ids): Omit<Ids, 'targetId'> & { readonly uniqueIdKey: string } => ({
  brandId,
  programId,
  uniqueId,
  uniqueIdKey: 'memberId',
});

const content = { person: { email: 'ada@example.org' }, tierId: 2 };
const contentBody = ({ uniqueId }: Ids): unknown => ({
  person: { email: 'ada@example.org' },
  templateTierId: 2,
  passdata: { metaData: { memberId: uniqueId } },
});

/** The calls that change something of one member's pass. */
export const passCases: readonly AttemptCase[] = [
  {
    section: '4.2 issue',
    method: 'POST',
    path: (ids) => `${programPath(ids)}/issue-wallet`,
    body: contentBody,
    answer: pass,
    call: (partner, ids, options) => partner.issue({ ...member(ids), operation: 'issue', content }, options),
  },
  {
    section: '4.3 workflow',
    method: 'POST',
    path: (ids) => `${programPath(ids)}/workflows/${ids.targetId}/wallet-passes`,
    body: contentBody,
    answer: pass,
    call: (partner, ids, options) =>
      partner.runWorkflow(
        { ...member(ids), operation: 'update-via-workflow', workflowId: ids.targetId, content },
        options,
      ),
  },
  {
    section: '4.4 schedule',
    method: 'PATCH',
    path: (ids) => `${programPath(ids)}/wallets/schedule`,
    body: ({ uniqueId }) => ({
      scheduledName: 'spring',
      scheduledTimestamp: 1_795_252_504_000,
      filters: { unique_id: uniqueId },
      update: { person: { email: 'ada@example.org' }, templateTierId: 2 },
    }),
    answer: { message: 'The schedule was created' },
    call: (partner, { brandId, programId, uniqueId }, options) =>
      partner.scheduleUpdate(
        { brandId, programId, uniqueId, scheduledName: 'spring', content, at: { timestampMs: 1_795_252_504_000 } },
        options,
      ),
  },
  {
    section: '4.6 reward',
    method: 'POST',
    path: (ids) => `${programPath(ids)}/rewards/${ids.targetId}/wallet-pass?unique_id=${ids.uniqueId}`,
    body: () => null,
    answer: pass,
    call: (partner, ids, options) =>
      partner.applyReward({ ...member(ids), operation: 'reward', rewardId: ids.targetId }, options),
  },
  {
    section: '4.7 transaction',
    method: 'POST',
    path: (ids) => `${programPath(ids)}/transaction-types/${ids.targetId}/transactions?unique_id=${ids.uniqueId}`,
    body: () => ({ amount: -59.99, transactionDate: '2026-11-21T09:15:04.000Z', attributes: { receipt: 'B07' } }),
    answer: {
      transactionId: 5,
      transactionTypeId: 77,
      amount: -59.99,
      transactionDate: '2026-11-21T09:15:04.000Z',
    },
    call: (partner, ids, options) =>
      partner.createTransaction(
        {
          ...member(ids),
          operation: 'transaction',
          transactionTypeId: ids.targetId,
          amount: '-59.99',
          transactionDate: '2026-11-21T09:15:04.000Z',
          attributes: { receipt: 'B07' },
        },
        options,
      ),
  },
];
