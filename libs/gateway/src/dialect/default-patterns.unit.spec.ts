import { DUPLICATE_PATTERN, NO_PASS_PATTERN } from './default-patterns.js';

const noPass = new RegExp(NO_PASS_PATTERN, 'iu');
const duplicate = new RegExp(DUPLICATE_PATTERN, 'iu');

describe('the default pattern of "no such pass"', () => {
  it.each([
    'Wallet pass not found',
    'No pass found for unique_id m_81273',
    'No wallet pass exists for the given identifier',
    'Could not find a wallet for this unique id',
    'Cannot find pass',
    "Can't find the card",
    'The member m_1 does not exist',
    "Person doesn't exist",
    'Unknown member m_1',
    'unique_id m_1 is unknown',
    'Cardholder has not been registered',
    'Not found: pass m_1',
    'no such card',
    'There is no cardholder with this identifier',
    'Pass could not be located',
    'No matching wallet',
  ])('fits "%s"', (message) => {
    expect(noPass.test(message)).toBe(true);
  });

  it.each([
    'Not Found',
    'unique_id is missing',
    'Unauthorized',
    'Missing Authentication Token',
    'Transaction type not found',
    'Reward 9001 does not exist',
    'Attribute receipt is required',
    'amount must be a number',
    'Program 2001 not found',
    'Duplicate value for attribute receipt',
    'Wallet pass already exists',
  ])('does not fit "%s"', (message) => {
    expect(noPass.test(message)).toBe(false);
  });
});

describe('the default pattern of a duplicate', () => {
  it.each([
    'Duplicate value for attribute receipt',
    'A transaction with receipt B07-1 already exists',
    'receipt B07-1 has already been used',
    'receipt must be unique',
    'receipt is not unique',
    'unique constraint violated: receipt',
    'unique_id m_1 is in use',
    'Identifier m_1 is taken',
    'Conflict on receipt',
  ])('fits "%s"', (message) => {
    expect(duplicate.test(message)).toBe(true);
  });

  it.each(['unique_id is required', 'receipt is invalid', 'Wallet pass not found', 'uniqueId must be a string'])(
    'does not fit "%s"',
    (message) => {
      expect(duplicate.test(message)).toBe(false);
    },
  );
});
