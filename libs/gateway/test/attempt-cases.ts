import type { Partner } from '../src/partner.js';
import type { AttemptReport, CallOptions } from '../src/port/call.js';

/** Ids of an input; the partner's, each goes into the path or the query. */
export interface Ids {
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueId: string;
  /** Workflow, reward, transaction type or brand attribute. */
  readonly targetId: string;
}

export const plainIds: Ids = { brandId: '101', programId: '2001', uniqueId: 'm_81273', targetId: '77' };

/** One call that changes something, as partner-api.md documents it. */
export interface AttemptCase {
  readonly section: string;
  readonly method: 'POST' | 'PATCH';
  /** Path and query with percent-encoded ids. */
  readonly path: (ids: Ids) => string;
  /** What the body holds; `null` where none is sent. */
  readonly body: (ids: Ids) => unknown;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly call: (partner: Partner, ids: Ids, options: CallOptions) => Promise<AttemptReport<unknown>>;
}

/** The path of a case's program. */
const programPath = ({ brandId, programId }: Ids): string => `/${brandId}/programs/${programId}`;

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
    call: (partner, ids, options) => partner.send({ ...member(ids), operation: 'issue', content }, options),
  },
  {
    section: '4.3 workflow',
    method: 'POST',
    path: (ids) => `${programPath(ids)}/workflows/${ids.targetId}/wallet-passes`,
    body: contentBody,
    answer: pass,
    call: (partner, ids, options) =>
      partner.send({ ...member(ids), operation: 'update-via-workflow', workflowId: ids.targetId, content }, options),
  },
  {
    section: '4.4 schedule',
    method: 'PATCH',
    path: (ids) => `${programPath(ids)}/wallets/schedule`,
    body: ({ uniqueId }) => ({
      scheduledName: 'spring',
      scheduledTimestamp: 4_102_444_800_000,
      filters: { unique_id: uniqueId },
      update: { person: { email: 'ada@example.org' }, templateTierId: 2 },
    }),
    answer: { message: 'The schedule was created' },
    call: (partner, { brandId, programId, uniqueId }, options) =>
      partner.scheduleUpdate(
        { brandId, programId, uniqueId, scheduledName: 'spring', content, at: { timestampMs: 4_102_444_800_000 } },
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
      partner.send({ ...member(ids), operation: 'reward', rewardId: ids.targetId }, options),
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
      partner.send(
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

/** The calls that configure a brand and its programs. */
const administrationCases: readonly AttemptCase[] = [
  {
    section: '4.8 update transaction type',
    method: 'PATCH',
    path: (ids) => `${programPath(ids)}/transaction-types/${ids.targetId}`,
    body: () => ({ name: 'Purchase' }),
    answer: { transactionTypeId: 77, name: 'Purchase', programId: 2001 },
    call: (partner, { brandId, programId, targetId }, options) =>
      partner.updateTransactionType({ brandId, programId, transactionTypeId: targetId, name: 'Purchase' }, options),
  },
  {
    section: '4.9 create transaction attribute',
    method: 'POST',
    path: (ids) => `${programPath(ids)}/transaction-types/${ids.targetId}/attributes`,
    body: () => ({
      name: 'receipt',
      required: true,
      description: 'Number of the receipt',
      uniqueKey: true,
      encrypted: false,
      dataType: 'string',
    }),
    answer: { transactionAttributeId: 9, name: 'receipt', dataType: 'string' },
    call: (partner, { brandId, programId, targetId }, options) =>
      partner.createTransactionAttribute(
        {
          brandId,
          programId,
          transactionTypeId: targetId,
          name: 'receipt',
          dataType: 'string',
          required: true,
          description: 'Number of the receipt',
          uniqueKey: true,
          encrypted: false,
        },
        options,
      ),
  },
  {
    section: '4.10 create brand attribute',
    method: 'POST',
    path: ({ brandId }) => `/${brandId}/attributes`,
    body: () => ({
      name: 'birthday',
      description: 'Day of birth',
      dataType: 'date',
      searchable: true,
      unique: false,
      required: false,
      encrypted: true,
      statusCode: 'ACTIVE',
    }),
    answer: { brandAttributeId: 3, name: 'birthday', dataType: 'date', searchable: true, unique: false },
    call: (partner, { brandId }, options) =>
      partner.createBrandAttribute(
        {
          brandId,
          name: 'birthday',
          description: 'Day of birth',
          dataType: 'date',
          searchable: true,
          unique: false,
          required: false,
          encrypted: true,
          statusCode: 'ACTIVE',
        },
        options,
      ),
  },
  {
    section: '4.11 update brand attribute',
    method: 'PATCH',
    path: ({ brandId, targetId }) => `/${brandId}/attributes/${targetId}`,
    body: () => ({ description: 'Birthday' }),
    answer: {
      brandAttributeId: 77,
      name: 'birthday',
      description: 'Birthday',
      dataType: 'date',
      searchable: true,
      unique: false,
    },
    call: (partner, { brandId, targetId }, options) =>
      partner.updateBrandAttribute({ brandId, brandAttributeId: targetId, description: 'Birthday' }, options),
  },
  {
    section: '4.12 create template',
    method: 'POST',
    path: (ids) => `${programPath(ids)}/templates`,
    body: () => ({ name: 'Card', passType: 'storeCard' }),
    answer: { templateId: 12, name: 'Card' },
    call: (partner, { brandId, programId }, options) =>
      partner.createTemplate({ brandId, programId, name: 'Card', passType: 'storeCard' }, options),
  },
  {
    section: '4.13 update brand',
    method: 'PATCH',
    path: ({ brandId }) => `/${brandId}`,
    body: () => ({ name: 'Coffee' }),
    answer: { brandId: 101, name: 'Coffee', statusCode: 'ACTIVE' },
    call: (partner, { brandId }, options) => partner.updateBrand({ brandId, name: 'Coffee' }, options),
  },
];

/** Every call of partner-api.md section 4 that changes something. */
export const attemptCases: readonly AttemptCase[] = [...passCases, ...administrationCases];

/** The dialect that all of them can be called in. */
export const attemptDialect = { schedule: { changeProperty: 'update' } };
