import type { Drill } from './drills.js';
import { loadFaults, runDrills } from './drills.js';
import { GatewayClient } from './gateway/gateway-client.js';
import type { Target } from './gateway/gateway-line.js';
import type { RowResult } from './interpreter/session.js';
import { runRows, Session } from './interpreter/session.js';
import { PlainClient } from './plain-client.js';
import { ContractRun, planContract } from './run-contract.js';
import { loadSetup, readYaml, specificationPath } from './specification.js';
import type { ContractSandbox, Tamper } from './testing/contract-sandbox.js';
import { contractSandbox, tamperingService } from './testing/contract-sandbox.js';
import { SandboxDials } from './wallet-sandbox.js';

const dialect = readYaml(specificationPath('sandbox-dialect.yaml')) as Readonly<Record<string, unknown>>;
const whole = planContract(dialect, null);
const setup = loadSetup(null);

/** The suite reduced to some rows. */
const planOf = (...ids: readonly string[]): typeof whole => ({
  ...whole,
  specification: { ...whole.specification, rows: whole.specification.rows.filter(({ id }) => ids.includes(id)) },
});

const isLookup = (request: string): boolean => /^GET .*\/wallets\?/.test(request);

interface Deviation {
  readonly what: string;
  /** The row that is about it. */
  readonly row: string;
  readonly seenBy: readonly string[];
  readonly tamper: Tamper;
}

const deviations: readonly Deviation[] = [
  {
    what: 'an id that is text',
    row: '2 / WalletPass / serialNumber',
    seenBy: ['plain', 'gateway'],
    tamper: (request, { status, body }) => ({ status, body: isLookup(request) ? { ...body, serialNumber: 7 } : body }),
  },
  {
    what: 'a link that is missing',
    row: '2 / WalletPass / downloadUrlApple',
    seenBy: ['plain', 'gateway'],
    tamper: (_request, { status, body: { downloadUrlApple: _gone, ...body } }) => ({ status, body }),
  },
  {
    what: 'another status of a refused lookup',
    row: '7 / errors / 400 lookup',
    seenBy: ['plain', 'gateway'],
    tamper: (request, answer) => (isLookup(request) && answer.status === 400 ? { ...answer, status: 422 } : answer),
  },
  {
    what: 'a refusal without a message',
    row: '4 / 4.1 answer / 400',
    seenBy: ['plain', 'gateway'],
    tamper: (_request, answer) => (answer.status === 400 ? { status: 400, body: { error: 'no' } } : answer),
  },
  {
    what: 'another status of success',
    row: '4 / 4.7 answer / amount',
    seenBy: ['plain', 'gateway'],
    tamper: (request, answer) => (request.includes('/transactions?') ? { ...answer, status: 202 } : answer),
  },
  {
    what: 'another amount',
    row: '4 / 4.7 body / amount',
    seenBy: ['plain', 'gateway'],
    tamper: (_request, { status, body }) => ({ status, body: 'amount' in body ? { ...body, amount: 1 } : body }),
  },
  {
    what: 'a count that is text',
    row: '4 / 4.5 answer / totalCount',
    seenBy: ['plain', 'gateway'],
    tamper: (_request, { status, body }) => ({
      status,
      body: 'totalCount' in body ? { ...body, totalCount: '1' } : body,
    }),
  },
  {
    what: 'a field beside those of the document',
    row: '4 / 4.5 answer / data',
    seenBy: [],
    tamper: (_request, { status, body }) => ({ status, body: { ...body, more: true } }),
  },
  {
    what: 'another type of token',
    row: '5 / answer / token_type',
    seenBy: ['plain'],
    tamper: (_request, { status, body }) => ({
      status,
      body: 'token_type' in body ? { ...body, token_type: 'MAC' } : body,
    }),
  },
];

describe('a service that deviates', () => {
  let sandbox: ContractSandbox;
  let runs = 0;

  beforeAll(async () => {
    sandbox = await contractSandbox();
  });

  afterAll(() => sandbox.stop());

  const suiteFor = (target: Target, plan: typeof whole): ContractRun =>
    new ContractRun({ plan, target: { ...target, isSandbox: false }, setup, dialect, run: `deviating${runs++}` });

  it.each(deviations)('is seen: $what', async ({ row, seenBy, tamper }) => {
    const service = await tamperingService(sandbox.target, tamper);
    try {
      const suite = suiteFor(service.target, planOf(row));
      const results = [...(await suite.plainRows()), ...(await suite.gatewayRows())];
      const failed = results.filter(({ verdict }) => verdict === 'failed').map(({ client }) => client);
      expect(failed).toEqual(seenBy);
      expect(results).toHaveLength(2);
    } finally {
      await service.stop();
    }
  });

  it.each(['plainRows', 'gatewayRows'] as const)('is none where a token expires on the way (%s)', async (rows) => {
    const refused = new Set<string>();
    const service = await tamperingService(sandbox.target, (request, answer) => {
      if (!isLookup(request) || refused.has(request)) return answer;
      refused.add(request);
      return { status: 401, body: { message: 'Token expired' } };
    });
    try {
      const results = await suiteFor(service.target, planOf('4 / 4.1 query / unique_id'))[rows]();
      expect(results).toMatchObject([{ verdict: 'passed', problems: [] }]);
      expect(refused.size).toBe(2);
    } finally {
      await service.stop();
    }
  });

  it('is seen on the wire where the gateway is the one that deviates', async () => {
    const other = { ...dialect, issue: { names: { groupId: 'templateGroup' } } };
    const { specification, names } = planOf('4 / 4.2 body / group id');
    const { target } = sandbox;
    const client = await GatewayClient.open({ ...target, calls: specification.calls, names, setup, dialect: other });
    const session = new Session({ specification, setup, run: 'wire', names });
    const [result] = await runRows({ rows: specification.rows, session, clients: [client] }).finally(() =>
      client.close(),
    );
    expect(result).toMatchObject({ verdict: 'failed' } satisfies Partial<RowResult>);
    expect(result?.problems.join()).toMatch(/wire: another body|status 400/);
  });

  it('is seen by drills, too: what must come out, and what must be left in the ledger', async () => {
    const drill: Drill = { kind: 'error-after', rule: {}, outcome: 'applied', timeoutMs: 10_000, effects: 0 };
    const { target } = sandbox;
    const { specification, names } = whole;
    const results = await runDrills({
      faults: { ...loadFaults(), drills: [drill] },
      dials: new SandboxDials(target.authUrl),
      session: new Session({ specification, setup, run: 'drill', names }),
      client: new PlainClient({ ...target, tokenExpiryWaitMs: 0, calls: specification.calls, names }),
      access: target,
      dialect,
      setup,
    });
    expect(results.length).toBeGreaterThan(10);
    for (const { problems } of results) {
      expect(problems).toEqual(['came out as unknown http-500, not applied', 'left 1 effects, not 0']);
    }
  });
});
