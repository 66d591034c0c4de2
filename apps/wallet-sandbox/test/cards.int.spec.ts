import { get } from 'node:http';
import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox();
const { client } = fixture;

/** Opens a link as a cardholder's browser does: without a token. */
async function open(url: unknown, accept = 'text/html,*/*'): Promise<{ response: Response; html: string }> {
  const response = await fetch(String(url), { headers: { accept } });
  return { response, html: await response.text() };
}

describe('the download links', () => {
  it.each([
    ['downloadUrl', 'Any wallet'],
    ['downloadUrlApple', 'Apple Wallet'],
    ['downloadUrlGoogle', 'Google Wallet'],
  ])('%s shows the card', async (link, wallet) => {
    const { json } = await client.issue('m_1', {
      person: { firstName: 'Ada', lastName: 'Lovelace' },
      passdata: { points: 41, metaData: { memberId: 'm_1' } },
      templateTierId: 2,
      currentMessage: 'Welcome back',
    });
    const { response, html } = await open(json[link]);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const shown of [wallet, 'Ada Lovelace', '41', 'Welcome back', 'ACTIVE', String(json['serialNumber'])]) {
      expect(html).toContain(shown);
    }
    expect(html).toContain('<svg');
  });

  it('are in every answer that holds a pass, and the same', async () => {
    const { json } = await client.issue('m_1');
    const listed = await client.send('GET /brands/101/programs/2001/wallet-passes');
    const answers = [
      (await client.lookUp('unique_id=m_1')).json,
      (await client.reward('unique_id=m_1', '9002')).json,
      (await client.workflow('78', { passdata: { metaData: { memberId: 'm_1' } } }, '101/programs/2001')).json,
      (listed.json['data'] as Record<string, unknown>[])[0]!,
    ];
    for (const answer of answers) expect(answer['downloadUrl']).toBe(json['downloadUrl']);
    expect(json['downloadUrl']).toBe(`${fixture.authUrl}/passes/${String(json['serialNumber'])}`);
  });

  it('begin with the address that the caller used', async () => {
    await client.issue('m_1');
    const token = await client.authenticate();
    const url = `${fixture.baseUrl}/101/programs/2001/wallets?unique_id=m_1`;
    const headers = { authorization: `Bearer ${token}`, host: 'wallet-sandbox.example:8080' };
    const body = await new Promise<string>((resolve, reject) => {
      get(url, { headers, agent: false }, (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (chunk: string) => (text += chunk)).on('end', () => resolve(text));
      }).on('error', reject);
    });
    expect(JSON.parse(body)).toMatchObject({
      downloadUrlApple: expect.stringMatching(
        /^http:\/\/wallet-sandbox\.example:8080\/passes\/WS-\d+\/apple$/,
      ) as string,
    });
  });

  it('show the card as it is now', async () => {
    const { json } = await client.issue('m_1', { passdata: { points: 100, metaData: { memberId: 'm_1' } } });
    await client.reward('unique_id=m_1');
    expect((await open(json['downloadUrl'])).html).toContain('<dt>Points</dt><dd>90</dd>');
  });
});

it('a page says no more than the card', async () => {
  const secret = {
    person: { firstName: 'Ada', email: 'ada@secret.example', phone: '+49301234567', birthday: '1815-12-10' },
    passdata: {
      profileImage: 'https://secret.example/ada.png',
      metaData: { memberId: 'm_secret', club: 'secret-club' },
    },
    groupId: 'secret-group',
    ipAddress: '203.0.113.7',
  };
  const { json } = await client.issue('m_secret', secret);
  const { html } = await open(json['downloadUrl']);
  expect(html).toContain('Ada');
  for (const hidden of [/secret/, /\+4930/, /1815/, /203\.0\.113/, new RegExp(String(json['personId']))]) {
    expect(html).not.toMatch(hidden);
  }
});

it('hostile values stay text', async () => {
  const hostile = `</title><script>alert("x")</script><img src=x onerror='y'>`;
  const person = { firstName: hostile, lastName: hostile };
  const { json } = await client.issue('m_1', { person, currentMessage: hostile });
  const { html } = await open(json['downloadUrl']);
  expect(html).not.toMatch(/<script|<img|<\/title><\/?[^/]/);
  expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
});

describe('a serial number that no card has', () => {
  it.each(['WS-0', '%3Cscript%3E', '%00', '..%2F..%2Fetc', 'WS-0/apple'])(
    '%s is a page that says so',
    async (serial) => {
      const { response, html } = await open(`${fixture.authUrl}/passes/${serial}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(html).toContain('No such card');
      expect(html).not.toContain('<script');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    },
  );

  it('is a message for a caller that wants no page', async () => {
    const { response, html } = await open(`${fixture.authUrl}/passes/WS-0`, 'application/json');
    expect([response.status, JSON.parse(html)]).toEqual([404, { message: 'No such card' }]);
  });

  it.each(['WS-0/nokia', '%ff', '%zz'])('%s is refused', async (path) => {
    const { response, html } = await open(`${fixture.authUrl}/passes/${path}`);
    expect([400, 404]).toContain(response.status);
    expect(JSON.parse(html)).toEqual({ message: expect.any(String) as string });
  });
});

it('a card is forgotten with a reset', async () => {
  const { json } = await client.issue('m_1');
  await client.send('POST /__reset');
  expect((await open(json['downloadUrl'])).response.status).toBe(404);
});
