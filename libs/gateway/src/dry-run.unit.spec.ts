import { DialectRegistry } from './dialect/dialect-registry.js';
import { previewAdministration } from './dry-run.js';
import type { AdministrationCall } from './port/administration.js';

const program = { brandId: '101', programId: '2001' };
const file = {
  brandAttribute: { names: { required: 'isRequired' } },
  transactionAttribute: { names: { uniqueKey: 'isUnique' }, dataTypes: { string: 'TEXT' } },
};
const dialects = new DialectRegistry({ file, programs: [] });

describe('a call that is only shown', () => {
  it.each<[AdministrationCall, string, string]>([
    [
      { call: 'updateTransactionType', input: { ...program, transactionTypeId: '31', name: 'Sale' } },
      'PATCH /101/programs/2001/transaction-types/31',
      '{"name":"Sale"}',
    ],
    [
      {
        call: 'createTransactionAttribute',
        input: {
          ...program,
          transactionTypeId: '31',
          name: 'slip',
          dataType: 'string',
          required: false,
          uniqueKey: true,
        },
      },
      'POST /101/programs/2001/transaction-types/31/attributes',
      '{"name":"slip","required":false,"isUnique":true,"dataType":"TEXT"}',
    ],
    [
      { call: 'createBrandAttribute', input: { brandId: '101', name: 'birthday', required: true } },
      'POST /101/attributes',
      '{"name":"birthday","isRequired":true}',
    ],
    [
      { call: 'updateBrandAttribute', input: { brandId: '101', brandAttributeId: '5/1', searchable: true } },
      'PATCH /101/attributes/5%2F1',
      '{"searchable":true}',
    ],
    [
      { call: 'createTemplate', input: { ...program, name: 'Winter', passType: 'GENERIC' } },
      'POST /101/programs/2001/templates',
      '{"name":"Winter","passType":"GENERIC"}',
    ],
  ])('%j is written as it would be sent, in the words of the dialect', (call, line, body) => {
    const [method, path] = line.split(' ');
    expect(previewAdministration(call, dialects)).toEqual({ kind: 'request', request: { method, path, body } });
  });

  it('of which no request can be made says why, and quotes nothing', () => {
    const call = { call: 'createTemplate', input: { ...program, name: ' ', passType: 'GENERIC' } } as const;
    expect(previewAdministration(call, dialects)).toEqual({ kind: 'refused', problems: ['name: must not be blank'] });
  });
});
