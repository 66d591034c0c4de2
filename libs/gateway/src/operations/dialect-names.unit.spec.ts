import type { IssueCommand, RewardCommand, TransactionCommand } from '#intents/core';
import { memberCalls } from '#members';
import { purchaseCalls } from '#purchases';
import { rewardCalls } from '#rewards';
import fc from 'fast-check';
import { compileDialect } from '../dialect/dialect-registry.js';
import type { Dialect } from '../dialect/dialect-schema.js';
import { parseDialect } from '../dialect/parse-dialect.js';
import {
  createTransactionAttribute,
  planBrandAttribute,
  planBrandAttributeUpdate,
  planTransactionAttribute,
  readBrandAttribute,
  withOurNames,
  withTheirNames,
} from './administration.js';

const { issue } = memberCalls;
const planIssue = (command: IssueCommand, dialect: Dialect) => issue.plan(command, dialect, 0);
const planTransaction = (command: TransactionCommand, dialect: Dialect) =>
  purchaseCalls.transaction.plan(command, dialect, 0);
const planReward = (command: RewardCommand, dialect: Dialect) => rewardCalls.reward.plan(command, dialect, 0);

const spoken = (layer: Record<string, unknown> = {}): Dialect => parseDialect('test', layer);
const reference = { brandId: '101', programId: '2001', uniqueId: 'm_1', uniqueIdKey: 'memberId' };
const known = { ...reference, passId: '7/7', serialNumber: 's 7' };
const read = (body: string | null): unknown => JSON.parse(body ?? 'null');
const queryOf = ({ path }: { readonly path: string }): string => path.slice(path.indexOf('?'));

describe('what names a card', () => {
  const reward: RewardCommand = { ...known, operation: 'reward', rewardId: '9001' };
  const transaction: TransactionCommand = {
    ...known,
    operation: 'transaction',
    transactionTypeId: '31',
    amount: '1.00',
    transactionDate: '2026-11-21T09:15:04.000Z',
    attributes: {},
  };

  it.each([
    [{}, '?unique_id=m_1'],
    [{ identifyBy: 'passId' }, '?passId=7%2F7'],
    [{ identifyBy: 'passId', passIdParameter: 'pass id' }, '?pass%20id=7%2F7'],
    [{ identifyBy: 'serialNumber' }, '?serialNumber=s%207'],
    [{ identifyBy: 'serialNumber', serialNumberParameter: 'sn' }, '?sn=s%207'],
  ])('of a reward, by %j', (layer, query) => {
    expect(queryOf(planReward(reward, spoken({ reward: layer })))).toBe(query);
  });

  it.each([
    [{}, '?unique_id=m_1'],
    [{ identifyBy: 'serialNumber' }, '?serialNumber=s%207'],
    [{ identifyBy: 'serialNumber', serialNumberParameter: 'sn' }, '?sn=s%207'],
  ])('of a transaction, by %j', (layer, query) => {
    expect(queryOf(planTransaction(transaction, spoken({ transaction: layer })))).toBe(query);
  });

  it('a command that does not know it is sent by unique_id', () => {
    const byPass = spoken({ reward: { identifyBy: 'passId' }, transaction: { identifyBy: 'serialNumber' } });
    const { passId: _passId, serialNumber: _serialNumber, ...bare } = reward;
    expect(queryOf(planReward(bare, byPass))).toBe('?unique_id=m_1');
    const { passId: _otherId, serialNumber: _otherNumber, ...plain } = transaction;
    expect(queryOf(planTransaction(plain, byPass))).toBe('?unique_id=m_1');
  });
});

describe('the issue body', () => {
  const command: IssueCommand = {
    ...reference,
    operation: 'issue',
    content: { person: { firstName: 'Ada', birthday: '1990-02-01' }, smsSubscription: 900 },
  };

  it('child attributes lie beside firstName, or under a property', () => {
    expect(read(planIssue(command, spoken()).body)).toMatchObject({
      person: { firstName: 'Ada', birthday: '1990-02-01' },
    });
    const nested = spoken({ person: { attributesProperty: 'attributes' } });
    expect((read(planIssue(command, nested).body) as { person: unknown }).person).toEqual({
      firstName: 'Ada',
      attributes: { birthday: '1990-02-01' },
    });
    const plain = { ...command, content: { person: { phone: null } } };
    expect((read(planIssue(plain, nested).body) as { person: unknown }).person).toEqual({ phone: null });
  });

  it.each([
    [200, 'promotional', 'PROMO'],
    [300, 'transactional', 30],
    [900, 'optedOut', 'OUT'],
  ] as const)('an SMS subscription of %d is sent as it is, or as the dialect says', (smsSubscription, entry, value) => {
    const wanted = { ...command, content: { smsSubscription } };
    expect(read(planIssue(wanted, spoken()).body)).toMatchObject({ smsSubscription });
    expect(read(planIssue(wanted, spoken({ sms: { [entry]: value } })).body)).toMatchObject({ smsSubscription: value });
  });

  it('an issue may have a success status of its own', () => {
    const isSuccess = (layer: Record<string, unknown>, status: number): boolean =>
      issue.isSuccessStatus(compileDialect(spoken(layer)))(status);
    expect([200, 201, 202].map((status) => isSuccess({}, status))).toEqual([true, true, false]);
    const created = { issue: { successStatuses: [201] }, success: { statuses: [200] } };
    expect([200, 201].map((status) => isSuccess(created, status))).toEqual([false, true]);
    expect([200, 201].map((status) => isSuccess({ success: { statuses: [200] } }, status))).toEqual([true, false]);
  });
});

describe('attributes', () => {
  const names = { required: 'isRequired', encrypted: 'isEncrypted', statusCode: 'state', brandId: 'brand' };
  const dialect = spoken({ brandAttribute: { names } });

  it('of a brand are sent and read by the names of the dialect', () => {
    const creation = { brandId: '101', name: 'birthday', required: true, encrypted: false, statusCode: 'ACTIVE' };
    expect(read(planBrandAttribute(creation, dialect).body)).toEqual({
      name: 'birthday',
      isRequired: true,
      isEncrypted: false,
      state: 'ACTIVE',
    });
    const update = { brandId: '101', brandAttributeId: '3', required: false };
    expect(read(planBrandAttributeUpdate(update, dialect).body)).toEqual({ isRequired: false });
    const documented = { brandAttributeId: 3, name: 'birthday', dataType: 'date', searchable: true, unique: false };
    const answer = {
      ...documented,
      isRequired: true,
      brand: 101,
      state: 'ACTIVE',
      required: 'something else',
      extra: {},
    };
    expect(readBrandAttribute(answer, dialect)).toEqual({
      value: { ...documented, required: true, brandId: 101, statusCode: 'ACTIVE', extra: {} },
      alarms: [],
    });
  });

  it('of a transaction type, their data types too', () => {
    const spokenNames = { description: 'about', uniqueKey: 'isUnique', encrypted: 'secret', transactionTypeId: 'type' };
    const other = spoken({
      transactionAttribute: {
        names: { ...spokenNames, type: 'kind' },
        dataTypes: { number: 'decimal', date: 'timestamp' },
      },
    });
    const creation = {
      brandId: '101',
      programId: '2001',
      transactionTypeId: '31',
      name: 'total',
      dataType: 'number',
      required: false,
      description: 'd',
      uniqueKey: true,
      encrypted: true,
    } as const;
    expect(read(planTransactionAttribute(creation, other).body)).toEqual({
      name: 'total',
      dataType: 'decimal',
      required: false,
      about: 'd',
      isUnique: true,
      secret: true,
    });
    const answer = {
      transactionAttributeId: 1,
      name: 'total',
      dataType: 'decimal',
      isUnique: true,
      type: 31,
      kind: 'k',
    };
    expect(createTransactionAttribute.read(answer, other)).toEqual({
      value: {
        transactionAttributeId: 1,
        name: 'total',
        dataType: 'decimal',
        uniqueKey: true,
        transactionTypeId: 31,
        type: 'k',
      },
      alarms: [],
    });
  });

  it('names there and back are the same, whatever is renamed and whatever else is answered', () => {
    const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text !== '__proto__');
    const unknown = fc.dictionary(name, fc.jsonValue());
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 3, maxLength: 3 }), unknown, ([a = '', b = '', c = ''], extra) => {
        const renamed = { required: a, encrypted: b, statusCode: c };
        const ours = { required: true, encrypted: false, statusCode: 'x' };
        const isTheirs = ([key]: readonly [string, unknown]): boolean => [a, b, c, ...Object.keys(ours)].includes(key);
        const others = Object.fromEntries(Object.entries(extra).filter((entry) => !isTheirs(entry)));
        expect(withOurNames({ ...others, ...withTheirNames(ours, renamed) }, renamed)).toEqual({ ...others, ...ours });
      }),
    );
  });
});
