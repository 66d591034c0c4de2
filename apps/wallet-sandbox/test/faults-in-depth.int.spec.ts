import { connect } from 'node:net';
import { partnerCases, sendCase } from './every-endpoint.js';
import { type Reply, SandboxClient } from './sandbox-client.js';
import { useSandbox } from './use-sandbox.js';

const fixture = useSandbox();
const { client } = fixture;

beforeEach(() => client.issue('m_1'));

const updating = 'POST /brands/101/programs/2001/workflows/78/wallet-passes';

const keys = async (): Promise<(string | null)[]> =>
  (await client.ledger('operation=transaction')).map((entry) => entry.key);

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone()));
}

describe('commit-late', () => {
  const late = (rule: object): Promise<Reply> =>
    client.faults([{ operation: '*', kind: 'commit-late', count: 1, ...rule }]);

  it('takes effect in its time, not before, and is no second effect', async () => {
    await late({ ms: 600_000 });
    await expect(client.sale('m_1', { receipt: 'R0' })).rejects.toThrow();
    await late({ ms: 400 });
    await expect(client.sale('m_1', { receipt: 'R1' })).rejects.toThrow();
    await until(async () => (await keys()).length > 0);
    expect(await keys()).toEqual(['R1']);
    expect((await client.sale('m_1', { receipt: 'R1' })).status).toBe(400);
    const [entry] = await client.ledger('operation=transaction');
    // What the sandbox says of itself; a timer may come a millisecond before its time.
    const isInTime = Date.parse(entry!.appliedAt) >= Date.parse(entry!.arrivedAt) + 399;
    expect(isInTime).toBe(true);
  });

  it('leaves the caller with the error that the rule names', async () => {
    await late({ ms: 20, status: 504 });
    expect((await client.sale('m_1', { receipt: 'R1' })).status).toBe(504);
    await until(async () => (await keys()).length > 0);
  });

  it('is decided by the state of its time: the repeat wins, the late one is refused', async () => {
    await late({ ms: 300 });
    await expect(client.sale('m_1', { receipt: 'R1' })).rejects.toThrow();
    expect((await client.sale('m_1', { receipt: 'R1' })).status).toBe(200);
    await late({ ms: 300, operation: 'issue' });
    await expect(client.issue('m_2')).rejects.toThrow();
    await until(async () => (await client.lookUp('unique_id=m_2')).status === 200);
    expect(await keys()).toEqual(['R1']);
  });

  it('finds the pass that was issued in the meantime', async () => {
    await late({ ms: 200, operation: 'transaction' });
    const path = '/brands/101/programs/2001/transaction-types/31/transactions?unique_id=m_9';
    const body = { amount: 1, transactionDate: '2026-11-21T09:15:04Z', attributes: { receipt: 'R9' } };
    await expect(client.send(`POST ${path}`, body)).rejects.toThrow();
    await client.issue('m_9');
    await until(async () => (await keys()).includes('R9'));
  });

  it('happens at once when the sandbox stops, and never when it is reset', async () => {
    const other = await fixture.startAnother();
    const otherClient = new SandboxClient(other.authUrl);
    await otherClient.authenticate();
    await otherClient.faults([{ operation: 'transaction', kind: 'commit-late', ms: 600_000 }]);
    await expect(otherClient.sale('m_1', { receipt: 'before the reset' })).rejects.toThrow();
    await otherClient.send('POST /__reset');
    await otherClient.issue('m_1');
    await otherClient.faults([{ operation: 'transaction', kind: 'commit-late', ms: 600_000 }]);
    await expect(otherClient.sale('m_1', { receipt: 'R1' })).rejects.toThrow();
    await other.stop();
    expect(await keys()).toEqual(['R1']);
  });
});

describe('commit-twice', () => {
  it('returns the first answer, and doubles what nothing makes unique', async () => {
    await client.faults([{ operation: '*', kind: 'commit-twice' }]);
    const replies = [await client.sale('m_1', { receipt: 'R1' }), await client.sale('m_1', {}, '33')];
    expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
    expect(await keys()).toEqual(['R1', null, null]);
    expect((await client.reward('unique_id=m_1')).json).toMatchObject({ passdata: { points: 90 } });
    expect((await client.lookUp('unique_id=m_1')).json).toMatchObject({ passdata: { points: 80 } });
  });
});

describe('stale-lookup', () => {
  it('does not see a pass that is younger, and sees an older one', async () => {
    await client.faults([{ operation: '*', kind: 'stale-lookup', ms: 60_000 }]);
    expect((await client.lookUp('unique_id=m_1')).json['message']).toMatch(/No such pass/);
    expect((await client.send('GET /brands/101/programs/2001/wallet-passes')).json).toMatchObject({ totalCount: 0 });
    await client.faults([{ operation: '*', kind: 'stale-lookup', ms: 1 }]);
    await until(async () => (await client.lookUp('unique_id=m_1')).status === 200);
  });
});

describe('not-unique', () => {
  it('lets a second pass and a used receipt through', async () => {
    await client.faults([{ operation: '*', kind: 'not-unique' }]);
    const second = await client.issue('m_1');
    await client.sale('m_1', { receipt: 'R1' });
    await client.sale('m_1', { receipt: 'R1' });
    expect([second.status, await keys()]).toEqual([200, ['R1', 'R1']]);
    await client.send('DELETE /__faults');
    expect([(await client.issue('m_1')).status, (await client.sale('m_1', { receipt: 'R1' })).status]).toEqual([
      400, 400,
    ]);
    expect((await client.lookUp('unique_id=m_1')).json['passId']).toBe(second.json['passId']);
  });
});

describe('foreign', () => {
  const shown = async (call: Promise<Reply>): Promise<unknown> => (await call).json;

  beforeEach(async () => {
    await client.issue('m_2');
    await client.issue('m_3');
    await client.workflow('77', { passdata: { metaData: { memberId: 'm_4' } } });
  });

  it.each([
    ['lookup', () => client.lookUp('unique_id=m_1')],
    ['reward', () => client.reward('unique_id=m_1')],
    [
      'update-via-workflow',
      () => client.send(updating, { passdata: { metaData: { memberId: 'm_1' } }, templateTierId: 2 }),
    ],
    ['issue', () => client.issue('m_1')],
  ])('shows %s a pass of another member of the program, as that member is shown it', async (operation, call) => {
    const passes = await Promise.all(['m_2', 'm_3'].map((member) => shown(client.lookUp(`unique_id=${member}`))));
    const seen = new Set<string>();
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await client.send('PUT /__faults', { seed, rules: [{ operation, kind: 'foreign', applies: false }] });
      const pass = await shown(call());
      expect(passes).toContainEqual(pass);
      seen.add(JSON.stringify(pass));
    }
    expect(seen.size).toBe(2);
  });

  it('knows the member by whatever the request names it', async () => {
    const own = (await client.lookUp('unique_id=m_2')).json;
    await client.faults([{ operation: '*', kind: 'foreign' }]);
    for (const handle of ['passId', 'serialNumber']) {
      const { json } = await client.reward(`${handle}=${String(own[handle])}`);
      expect([handle, json['passId']]).not.toEqual([handle, own['passId']]);
    }
    expect((await client.lookUp(`person_id=${String(own['personId'])}`)).json['passId']).not.toBe(own['passId']);
  });

  it('shows a refused call a pass, too, and leaves no effect of it', async () => {
    await client.faults([{ operation: 'issue', kind: 'foreign', applies: true }]);
    const before = (await client.ledger()).length;
    expect((await client.issue('m_1')).status).toBe(200);
    expect(await client.ledger()).toHaveLength(before);
  });
});

describe('message', () => {
  const program = '/brands/101/programs/2001';
  const m1 = { passdata: { metaData: { memberId: 'm_1' } } };
  const refusals: readonly (readonly [target: string, body?: object])[] = [
    [`GET ${program}/wallets?unique_id=m_9`],
    [`GET ${program}/wallets?email=a%40example.org`],
    [`GET ${program}/wallets?colour=red`],
    [`GET ${program}/wallet-passes?pageSize=2001`],
    [`POST ${program}/issue-wallet`, m1],
    [`POST ${program}/issue-wallet`, { passdata: {} }],
    [`POST ${program}/issue-wallet`, { person: { firstName: 5 } }],
    [`POST ${program}/workflows/78/wallet-passes`, { ...m1, templateTierId: 9 }],
    [`POST ${program}/workflows/78/wallet-passes`, { ...m1, brandId: 102 }],
    [`POST ${program}/transaction-types/31/transactions?unique_id=m_1`, { amount: '5' }],
    [`PATCH ${program}/wallets/schedule`, { update: { templateTierId: 1 } }],
    [`POST ${program}/rewards/9001/wallet-pass?unique_id=m_1`, {}],
    ['POST /brands/101/attributes', { name: 'memberId' }],
    ['POST /brands/101/programs/2002/issue-wallet', m1],
  ];
  const notFound: readonly (readonly [target: string, body?: object])[] = [
    [`POST ${program}/rewards/9/wallet-pass?unique_id=m_1`],
    ['PATCH /brands/9', { name: 'x' }],
  ];

  it.each([...refusals, ...notFound].map((request, index) => ({ index, target: request[0], request })))(
    'words refusal $index of $target otherwise, each wording in its own way',
    async ({ request }) => {
      const texts = new Set<unknown>();
      for (let wording = 0; wording < 6; wording += 1) {
        await client.faults([{ operation: '*', kind: 'message', wording }]);
        texts.add((await client.send(...request)).json['message']);
      }
      await client.faults([{ operation: '*', kind: 'message' }]);
      texts.delete((await client.send(...request)).json['message']);
      await client.send('DELETE /__faults');
      texts.delete((await client.send(...request)).json['message']);
      expect(texts.size).toBe(4);
    },
  );

  it('may change the status of a 400, and of nothing else', async () => {
    await client.faults([{ operation: '*', kind: 'message', status: 422 }]);
    const replies = await Promise.all([...refusals, ...notFound].map((request) => client.send(...request)));
    expect(replies.map(({ status }) => status)).toEqual([...refusals.map(() => 422), ...notFound.map(() => 404)]);
  });
});

describe('Retry-After', () => {
  it.each([
    [undefined, null],
    [7, '7'],
    ['Sat, 21 Nov 2026 09:15:04 GMT', 'Sat, 21 Nov 2026 09:15:04 GMT'],
  ])('%j is sent as it is', async (retryAfter, header) => {
    await client.faults([{ operation: '*', kind: 'too-many', retryAfter }]);
    const { status, headers } = await client.lookUp('unique_id=m_1');
    expect([status, headers.get('retry-after')]).toEqual([429, header]);
  });

  it('may be an HTTP date from now', async () => {
    await client.faults([{ operation: '*', kind: 'error-before', status: 503, retryAfter: 'date+30' }]);
    const wholeSecond = (at: number): number => Math.floor(at / 1_000) * 1_000;
    const before = Date.now();
    const header = (await client.lookUp('unique_id=m_1')).headers.get('retry-after') ?? '';
    const after = Date.now();
    expect(header).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    expect(Date.parse(header)).toBeGreaterThanOrEqual(wholeSecond(before) + 30_000);
    expect(Date.parse(header)).toBeLessThanOrEqual(wholeSecond(after) + 31_000);
  });
});

/** What happens while a lookup is answered, in order: its head, its end, and a timer of `ms` that is begun with it. */
async function lookUpBeside(ms: number): Promise<string[]> {
  const token = await client.authenticate();
  const { hostname, port } = new URL(fixture.authUrl);
  const socket = connect(Number(port), hostname);
  const order: string[] = [];
  let text = '';
  setTimeout(() => order.push('timer'), ms);
  socket.write(`GET /brands/101/programs/2001/wallets?unique_id=m_1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`);
  socket.write(`authorization: Bearer ${token}\r\n\r\n`);
  for await (const chunk of socket) {
    text += String(chunk);
    if (!order.includes('head') && text.includes('\r\n\r\n')) order.push('head');
  }
  const [, body = ''] = text.split('\r\n\r\n');
  expect(JSON.parse(body)).toMatchObject({ passdata: { points: 100 } });
  return [...order, 'end'];
}

describe('slow answers', () => {
  // The sandbox runs in this process: its timers, begun later, are due later than ours.
  it('slow-headers let wait for the head', async () => {
    await client.faults([{ operation: 'lookup', kind: 'slow-headers', ms: 300 }]);
    expect(await lookUpBeside(250)).toEqual(['timer', 'head', 'end']);
  });

  it('slow-body lets wait for the body', async () => {
    await client.faults([{ operation: 'lookup', kind: 'slow-body', ms: 300 }]);
    const order = await lookUpBeside(250);
    expect(order.indexOf('end')).toBeGreaterThan(order.indexOf('timer'));
  });

  it('slow-body sends the head at once', async () => {
    await client.faults([{ operation: 'lookup', kind: 'slow-body', ms: 600_000, count: 1 }]);
    const { status, body } = await fetch(`${fixture.baseUrl}/101/programs/2001/wallets?unique_id=m_1`, {
      headers: { authorization: `Bearer ${await client.authenticate()}` },
    });
    expect(status).toBe(200);
    await body?.cancel();
  });

  it('hold nothing back from other callers, and end with a caller who goes away', async () => {
    await client.faults([{ operation: 'lookup', kind: 'slow-body', ms: 600_000, count: 1 }]);
    const gone = new AbortController();
    const slow = fetch(`${fixture.baseUrl}/101/programs/2001/wallets?unique_id=m_1`, {
      headers: { authorization: `Bearer ${await client.authenticate()}` },
      signal: gone.signal,
    }).then((response) => response.text());
    await until(async () => (await client.lookUp('unique_id=m_1')).status === 200);
    gone.abort();
    await expect(slow).rejects.toThrow();
  });
});

it.each([
  [['slow-body', 'drop-after']],
  [['truncated', 'drop-before']],
  [['oversized', 'commit-late']],
  [['slow-headers', 'drop-after']],
  [['empty', 'drop-after']],
])('a broken connection stays broken, whatever strikes it further: %j', async (kinds) => {
  await client.faults(kinds.map((kind) => ({ operation: 'transaction', kind, ms: 1 })));
  await expect(client.sale('m_1', { receipt: 'R1' })).rejects.toThrow();
  expect((await client.lookUp('unique_id=m_1')).status).toBe(200);
});

it('the same seed strikes the same calls of every operation, another seed others', async () => {
  const run = async (seed: number): Promise<string> => {
    await client.send('POST /__reset');
    await client.issue('m_1');
    const rules = [
      { operation: '*', kind: 'error-after', status: 502, probability: 0.3 },
      { operation: 'lookup', kind: 'too-many', probability: 0.8 },
    ];
    await client.send('PUT /__faults', { seed, rules });
    const statuses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      for (const endpoint of partnerCases) statuses.push((await sendCase(client, endpoint)).status);
    }
    return statuses.map((status) => (status === 502 || status === 429 ? status : 0)).join();
  };
  const first = await run(7);
  expect(first).toMatch(/502.*429|429.*502/);
  expect(await run(7)).toBe(first);
  expect(await run(8)).not.toBe(first);
});
