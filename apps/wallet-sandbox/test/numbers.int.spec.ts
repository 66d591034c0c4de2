import { queryOnce } from '#test-support';

import { useSandbox } from './use-sandbox.js';

const seed = `
brands:
  - id: 101
    uniqueIdentifier: metaData.memberId
    brandAttributes: [{ id: 1, name: memberId, dataType: number }, { id: 2, name: loyaltyNo, dataType: number, unique: true }]
    programs:
      - id: 2001
        templates: [11]
        rewards: [{ id: 9001, points: -10 }]
        workflows: [{ id: 78, does: update }]
        transactionTypes: [{ id: 31, name: purchase, attributes: [{ name: till, dataType: number, unique: true }] }]
`;

const fixture = useSandbox({ seed });
const long = '9007199254740993123';
const program = 'brands/101/programs/2001';

/** As text, both ways: what reads JSON into floats proves nothing here. */
async function send(request: string, body?: string): Promise<{ status: number; text: string }> {
  const [method = '', path = ''] = request.split(' ');
  const form = { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox', scope: 'admin' };
  const login = await fetch(`${fixture.authUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${fixture.authUrl}/${program}/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

const issue = (metaData: string): ReturnType<typeof send> =>
  send('POST issue-wallet', `{"passdata":{"points":12345678901234567.5,"metaData":${metaData}}}`);

describe('numbers of more digits than a float keeps', () => {
  it('come back digit for digit from an issue, a lookup, a listing and an update', async () => {
    const issued = await issue(`{"memberId":${long}}`);
    expect(issued).toMatchObject({ status: 200, text: expect.stringContaining(`"memberId":${long}`) as string });
    for (const request of [`GET wallets?unique_id=${long}`, `GET wallet-passes?unique_id=${long}`]) {
      const { status, text } = await send(request);
      expect(status).toBe(200);
      expect(text).toContain(`"memberId":${long}`);
      expect(text).toContain('"points":12345678901234567.5');
    }
    const update = `{"passdata":{"metaData":{"memberId":${long},"other":0.10000000000000000001}}}`;
    const { text } = await send('POST workflows/78/wallet-passes', update);
    expect(text).toContain('"other":0.10000000000000000001');
  });

  it('tell cardholders apart', async () => {
    await issue(`{"memberId":${long}}`);
    expect((await send('GET wallets?unique_id=9007199254740993124')).status).toBe(400);
    expect((await issue('{"memberId":9007199254740993124,"loyaltyNo":1}')).status).toBe(200);
    expect((await issue('{"memberId":9007199254740993125,"loyaltyNo":1}')).status).toBe(400);
  });

  it('are amounts, exact, and unique values', async () => {
    await issue(`{"memberId":${long}}`);
    const post = (amount: string): ReturnType<typeof send> =>
      send(
        `POST transaction-types/31/transactions?unique_id=${long}`,
        `{"amount":${amount},"transactionDate":"2026-11-21T09:15:04.000Z","attributes":{"till":${long}}}`,
      );
    const posted = await post('90071992547409931.25');
    expect(posted).toMatchObject({
      status: 200,
      text: expect.stringContaining('"amount":90071992547409931.25') as string,
    });
    expect((await post('1')).text).toContain(long);
    const kept = await queryOnce<{ amount: string }>(
      fixture.databaseUrl,
      'SELECT amount::text AS amount FROM wallet_sandbox.transaction',
    );
    expect(kept).toEqual([{ amount: '90071992547409931.25' }]);
  });
});

it('an attribute of type number takes no text', async () => {
  expect((await issue('{"memberId":"81273"}')).status).toBe(400);
});
