const common = {
  templates: [11],
  tiers: [1, 2],
  transactionTypes: [
    { id: 31, name: 'purchase', attributes: [{ name: 'store' }, { name: 'receipt', unique: true }] },
    { id: 32, name: 'refund', attributes: [{ name: 'receipt', unique: true }] },
    { id: 33, name: 'plain' },
  ],
  rewards: [{ id: 9001, points: -10 }],
};

/** A seed with the ids of specification/setup.yaml. */
export const sandboxSeed = {
  brands: [
    {
      id: 101,
      uniqueIdentifier: 'metaData.memberId',
      programs: [
        { ...common, id: 2001, workflows: [{ id: 78, does: 'update' }] },
        { ...common, id: 2002, enrolment: 'workflow', workflows: [{ id: 77, does: 'issue' }] },
      ],
    },
    { id: 102, uniqueIdentifier: 'email', programs: [{ ...common, id: 2101 }] },
  ],
};
