import { maskedRefusal, wordsMax } from './provisioning-call.js';

const sent = { name: 'Slip number', dataType: 'string', unique: true };

describe('the message of a refusal', () => {
  it.each([
    ['name: the transaction type already has Slip number', 'name: the transaction type already has Slip number'],
    ['DataType must be one of the known ones!', 'DataType must be one of the known ones!'],
    ['passes of Ada Lovelace and ada@example.org share +4915112345678', 'passes of # # and # share #'],
    ['cardholders \'ada\' and "grace" share a value of slip', 'cardholders # and # share a value of slip'],
    ['m_4711 has it', '# has it'],
    ['Émile и 李 have it', '# и # have it'],
    ['  \n ', ''],
  ])('%j is kept as %j', (message, kept) => {
    expect(maskedRefusal(message, sent)).toBe(kept);
  });

  it('is kept up to a length', () => {
    const long = 'no '.repeat(wordsMax + 1);
    expect(maskedRefusal(long, sent).split(' ')).toEqual([...Array<string>(wordsMax).fill('no'), '…']);
  });
});
