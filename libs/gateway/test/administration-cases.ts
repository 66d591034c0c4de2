import { type AttemptCase, programPath } from './attempt-case.js';

/** The calls that configure a brand and its programs. */
export const administrationCases: readonly AttemptCase[] = [
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
