import { get } from 'node:http';
import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox();
const { client } = fixture;

describe('the download links', () => {
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
});
