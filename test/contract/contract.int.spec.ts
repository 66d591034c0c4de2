import { coverageOf, emptyCells } from './coverage.js';
import type { DrillResult } from './drills.js';
import { drilledCalls, loadFaults } from './drills.js';
import type { RowResult } from './interpreter/session.js';
import { productCallers } from './product-callers.js';
import { coverageTable } from './report.js';
import { ContractRun, planContract } from './run-contract.js';
import { loadSetup, readYaml, specificationPath } from './specification.js';
import type { ContractSandbox } from './testing/contract-sandbox.js';
import { contractSandbox } from './testing/contract-sandbox.js';
import { SandboxDials } from './wallet-sandbox.js';

const startMsMax = 90_000;
const dialect = readYaml(specificationPath('sandbox-dialect.yaml')) as Readonly<Record<string, unknown>>;
const plan = planContract(dialect, null);
const { rows } = plan.specification;
const faults = loadFaults();

describe('the contract of the Wallet Card API', () => {
  let sandbox: ContractSandbox;
  const suite = (run: string, more: object = {}): ContractRun =>
    new ContractRun({ plan, target: sandbox.target, setup: loadSetup(null), dialect: { ...dialect, ...more }, run });
  let results: readonly RowResult[] = [];
  let drills: readonly DrillResult[] = [];

  beforeAll(async () => {
    sandbox = await contractSandbox();
    const whole = suite('one');
    results = (await Promise.all([whole.plainRows(), whole.gatewayRows()])).flat();
    drills = await whole.drills();
  }, startMsMax);

  afterAll(() => sandbox.stop());

  const told = (id: string, client: RowResult['client']): object => {
    const { verdict, problems } = results.find((result) => result.id === id && result.client === client)!;
    return { verdict, problems };
  };
  const passed = { verdict: 'passed', problems: [] };

  describe('by plain HTTP', () => {
    it.each(rows.map(({ id, words }) => [id, words]))('%s: %s', (id) => {
      expect(told(id, 'plain')).toEqual(passed);
    });
  });

  describe('through the gateway', () => {
    it.each(rows.map(({ id, words }) => [id, words]))('%s: %s', (id) => {
      expect(told(id, 'gateway')).toEqual(passed);
    });
  });

  describe('under faults', () => {
    const kinds = [...new Set(faults.drills.map(({ kind }) => kind))];

    it.each(kinds)('%s comes out as design.md section 6 says', (kind) => {
      const ofKind = drills.filter((drill) => drill.kind === kind);
      const expected = faults.drills.filter((drill) => drill.kind === kind);
      expect(ofKind).toHaveLength(expected.flatMap((drill) => drilledCalls(drill, faults)).length);
      expect(ofKind.filter(({ problems }) => problems.length > 0)).toEqual([]);
    });
  });

  it('drills every kind of fault that the sandbox has', async () => {
    const response = await fetch(`${sandbox.target.authUrl}/__faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ rules: [{ operation: '*', kind: 'nothing' }] }),
    });
    const { message } = (await response.json()) as { message: string };
    const known = message.split('known are ')[1]?.split(', ') ?? [];
    expect([...new Set(faults.drills.map(({ kind }) => kind))].sort()).toEqual(known.sort());
  });

  it('has no empty cell in its coverage', () => {
    const lines = coverageOf({ specification: plan.specification, results, drills, callers: productCallers() });
    process.stdout.write(`${coverageTable(lines).join('\n')}\n`);
    expect(emptyCells(lines)).toEqual([]);
  });

  it('proves what uniqueEnforced may claim of each transaction type', async () => {
    const proofs = await suite('two').proofs();
    expect(proofs.map(({ transactionTypeId, verdict, ok }) => [transactionTypeId, verdict, ok])).toEqual([
      ['31', 'enforced', true],
      ['32', 'enforced', true],
      ['33', 'not enforced', true],
    ]);
    const readings = proofs.map(({ refusals }) => refusals.map(({ readAs }) => readAs));
    const refused = ['rejected no-such-pass', 'rejected refused', 'rejected refused', 'rejected refused'];
    expect(readings).toEqual([refused, refused, []]);
  });

  it('sees that what is no duplicate is read as one', async () => {
    const proofs = await suite('four', {
      duplicate: { templates: ['transactionDate must be an ISO 8601 timestamp'] },
    }).proofs();
    const [first] = proofs;
    expect(first?.refusals.map(({ readAs }) => readAs)).toContain('rejected duplicate');
    expect(first?.ok).toBe(false);
  });

  it('sees that a partner does not enforce what is claimed', async () => {
    const dials = new SandboxDials(sandbox.target.authUrl);
    await dials.put([{ operation: 'transaction', kind: 'not-unique' }]);
    const proofs = await suite('three')
      .proofs()
      .finally(() => dials.clear());
    expect(proofs.map(({ transactionTypeId, verdict, ok }) => [transactionTypeId, verdict, ok])).toEqual([
      ['31', 'not enforced', false],
      ['32', 'not enforced', false],
      ['33', 'not enforced', true],
    ]);
  });
});
