import { StubAnswers } from './stub-answers.js';

const line = (member: string): string =>
  `POST /brands/101/programs/2001/transaction-types/31/transactions?unique_id=${member} HTTP/1.1`;
const body = (rank: number): string => `{"amount":1,"attributes":{"receipt":"7-${rank}"}}`;

describe('the partner stub', () => {
  it('counts a member in order as applied', () => {
    const stub = new StubAnswers();
    for (const rank of [1, 2, 3]) stub.answer(line('m_7'), body(rank));
    stub.answer(line('m_8'), body(1));
    expect(stub.counts()).toEqual({ applied: 4, duplicates: 0, outOfOrder: 0, unreadable: 0 });
  });

  it('sees what comes twice and what comes too early', () => {
    const stub = new StubAnswers();
    for (const rank of [1, 1, 3, 4, 3, 2, 5, 4]) stub.answer(line('m_7'), body(rank));
    expect(stub.counts()).toEqual({ applied: 3, duplicates: 3, outOfOrder: 2, unreadable: 0 });
  });

  it('sees what it cannot read, and forgets on reset', () => {
    const stub = new StubAnswers();
    stub.answer('POST /nowhere HTTP/1.1', '');
    expect(stub.counts().unreadable).toBe(1);
    stub.reset();
    expect(stub.counts()).toEqual({ applied: 0, duplicates: 0, outOfOrder: 0, unreadable: 0 });
  });

  it('notes when each call came, where it has a clock', () => {
    let now = 0;
    const stub = new StubAnswers(() => (now += 5));
    for (const rank of [1, 2]) stub.answer(line('m_7'), body(rank));
    expect(stub.takeArrivals()).toEqual([
      ['7-1', 5],
      ['7-2', 10],
    ]);
    expect(stub.takeArrivals()).toEqual([]);
  });

  it('answers as documented', () => {
    const stub = new StubAnswers();
    expect(JSON.parse(stub.answer(line('m_7'), body(1)))).toEqual({
      transactionId: 1,
      transactionTypeId: 31,
      amount: 59.99,
      transactionDate: '2026-11-21T09:15:04.000Z',
    });
    expect(JSON.parse(stub.answer('POST /oauth2/token HTTP/1.1', ''))).toMatchObject({ token_type: 'Bearer' });
  });
});
