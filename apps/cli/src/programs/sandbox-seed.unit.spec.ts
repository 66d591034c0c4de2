import { parseProgramsFile } from '#contracts';

import { sandboxSeed } from './sandbox-seed.js';

const seedOf = (programs: string): unknown => {
  const parsed = parseProgramsFile(`programs: ${programs}`);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return sandboxSeed(parsed.value);
};

describe('the sandbox of a programs file', () => {
  it('has what the file names: workflows, types with their attributes, tiers, templates and rewards', () => {
    const seed = seedOf(`
  club:
    brandId: 7
    programId: 70
    currency: EUR
    uniqueIdKey: card
    enrolment: { via: workflow, workflowId: 5, choose: { by: channel, workflows: { web: 6 } } }
    update: { via: workflow, workflowId: 8 }
    templateId: 3
    tierTemplates: { gold: 4 }
    tiers: { basic: 1, gold: 2 }
    purchases:
      completed: { transactionTypeId: 31, attributes: { receipt: purchaseId, store: storeId }, uniqueAttribute: receipt, uniqueEnforced: true }
      refunded: { transactionTypeId: 31, attributes: { of: purchaseId } }
    rewards: { coffee: { id: 9, pointsDelta: -10 }, cake: 10 }`);

    expect(seed).toEqual({
      brands: [
        {
          id: '7',
          uniqueIdentifier: 'metaData.card',
          memberKey: 'card',
          brandAttributes: [{ id: 501, name: 'card', searchable: true, unique: true }],
          programs: [
            {
              id: '70',
              enrolment: 'workflow',
              templates: [3, 4],
              tiers: [1, 2],
              workflows: [
                { id: '5', does: 'issue' },
                { id: '6', does: 'issue' },
                { id: '8', does: 'update' },
              ],
              transactionTypes: [
                {
                  id: '31',
                  name: 'completed',
                  attributes: [
                    { name: 'receipt', unique: true },
                    { name: 'store', unique: false },
                    { name: 'of', unique: false },
                  ],
                },
              ],
              rewards: [
                { id: '9', points: -10 },
                { id: '10', points: 0 },
              ],
            },
          ],
        },
      ],
    });
  });

  it('has one program where two of ours are one of the partner’s, and a template where none is named', () => {
    const seed = seedOf('{ a: { brandId: 1, programId: 2 }, b: { brandId: 1, programId: 2 } }');
    expect(seed).toMatchObject({ brands: [{ programs: [{ id: '2', enrolment: 'direct', templates: [1] }] }] });
  });
});
