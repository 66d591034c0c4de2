import { SandboxClient } from './sandbox-client.js';
import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox();
const key = 'control-key-of-this-test';

const calls = [
  'GET /__ledger',
  'GET /__faults',
  'PUT /__faults',
  'DELETE /__faults',
  'PUT /__client',
  'POST /__reset',
  // Paths are decoded before they are looked up.
  'GET /%5F%5Fledger',
  'HEAD /__ledger',
] as const;

describe('a sandbox that others can reach', () => {
  let stop: () => Promise<void>;
  let client: SandboxClient;

  beforeAll(async () => {
    const sandbox = await fixture.startAnother({ SANDBOX_HOST: '0.0.0.0', SANDBOX_CONTROL_KEY: key });
    stop = () => sandbox.stop();
    client = new SandboxClient(sandbox.authUrl);
    await client.authenticate();
  });

  afterAll(() => stop());

  const statusOf = async (call: string, headers: Record<string, string> = {}): Promise<number> =>
    (await client.send(call, call.startsWith('PUT') ? {} : undefined, headers)).status;

  it.each(calls)('refuses %s without the key, to a partner system too, and does nothing', async (call) => {
    await client.issue('m_1');
    for (const authorization of ['', 'Bearer', `Bearer ${key}x`, `Basic ${key}`, key]) {
      expect(await statusOf(call, { authorization })).toBe(401);
    }
    // With a token of the partner.
    expect(await statusOf(call)).toBe(401);
    expect(await fixture.client.ledger('unique_id=m_1')).toHaveLength(1);
  });

  it.each(calls)('lets %s through with the key', async (call) => {
    expect([200, 400]).toContain(await statusOf(call, { authorization: `Bearer ${key}` }));
  });

  it('answers probes, and partner systems as ever', async () => {
    const health = await client.send('GET /__health', undefined, { authorization: '' });
    expect([health.status, health.json]).toEqual([200, { message: 'The sandbox answers' }]);
    expect((await client.issue('m_2')).status).toBe(200);
    expect((await client.lookUp('unique_id=m_2')).status).toBe(200);
  });
});

it('without a key, on loopback, control calls need nothing', async () => {
  expect((await fixture.client.send('GET /__ledger', undefined, { authorization: '' })).status).toBe(200);
});
