import { chooseWording } from '../contract/wordings.js';
import type { TransactionType } from '../seed/seed.js';
import { checkAttributes } from './apply-transaction.js';

const attribute = { dataType: 'string', required: false, unique: false, encrypted: false } as const;
const type: TransactionType = {
  id: '31',
  name: 'purchase',
  attributes: [
    { ...attribute, name: 'receipt', required: true, unique: true },
    { ...attribute, name: 'items', dataType: 'number' },
    { ...attribute, name: 'gift', dataType: 'boolean' },
    { ...attribute, name: 'until', dataType: 'date' },
  ],
};

describe('checkAttributes', () => {
  it.each([
    [{ receipt: 'R' }],
    [{ receipt: 'R', items: 2, gift: true, until: '2026-11-21' }],
    [{ receipt: 'R', until: '2026-11-21T10:15:04+01:00', items: null }],
  ])('lets %j pass', (attributes) => {
    expect(checkAttributes(type, attributes, chooseWording(0))).toBeNull();
  });

  it.each([
    [{}, 'attributes.receipt is required'],
    [{ receipt: null }, 'attributes.receipt is required'],
    [{ receipt: 5 }, 'attributes.receipt: must be a string'],
    [{ receipt: 'R', items: '2' }, 'attributes.items: must be a number'],
    [{ receipt: 'R', gift: 'yes' }, 'attributes.gift: must be a boolean'],
    [{ receipt: 'R', until: 'tomorrow' }, 'attributes.until: must be a date'],
    [{ receipt: 'R', system: 'pos' }, 'attributes.system: is not an attribute of transaction type 31'],
  ])('refuses %j', (attributes, problem) => {
    expect(checkAttributes(type, attributes, chooseWording(0))).toBe(problem);
  });
});
