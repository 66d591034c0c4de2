import type { DialectEntry } from '#gateway';
import { describeDialect, parseDialect } from '#gateway';

import { valueAt } from './interpreter/names.js';
import { ContractRun, planContract } from './run-contract.js';
import { loadSetup } from './specification.js';
import type { ContractSandbox } from './testing/contract-sandbox.js';
import { contractSandbox } from './testing/contract-sandbox.js';
import { contractSeed } from './spoken-partners.js';
import type { SpokenPartner } from './spoken-partners.js';
import { spokenPartners } from './spoken-partners.js';

/**
 * How a token is asked for is tried at token servers of their own: libs/gateway/src/call/token-dialect.int.spec.ts. What is kept of an
 * answer no partner notices: kept-headers.unit.spec.ts beside it.
 */
const entries = describeDialect().filter(({ path }) => !path.startsWith('token.') && !path.startsWith('evidence.'));
const [plain, north, south] = spokenPartners.map(({ dialect }) => parseDialect('test', dialect));

/** The default is what a partner must say or do for us to work at all, or two values exclude each other. */
const alike: Readonly<Record<string, string>> = {
  'transaction.negativeAmounts': 'without them no refund can be sent',
  'schedule.changeProperty': 'one of them puts the change beside the other properties',
  'schedule.changeAt': 'the other one has a property for it',
};

const valueOf = (dialect: unknown, { path }: DialectEntry): string => JSON.stringify(valueAt(dialect, path));

/** What can only be the one or the other, or is needed in both. */
const hasTwoValues = (entry: DialectEntry): boolean =>
  ['true', 'false'].includes(entry.default) ||
  [
    'issue.repeatedIdType',
    'lookup.emptyList',
    'list.statusAs',
    'schedule.timeZoneAs',
    'tooManyRequests',
    'transaction.identifyBy',
  ].includes(entry.path);

describe('the three dialects', () => {
  it.each(entries.map((entry) => [entry.path, entry] as const))('differ in %s', (path, entry) => {
    const values = [plain, north, south].map((dialect) => valueOf(dialect, entry));
    const wanted = hasTwoValues(entry) ? 2 : 3;
    expect([path, new Set(values).size]).toEqual([path, alike[path] === undefined ? wanted : expect.any(Number)]);
  });
});

/** The brand's own attributes and the pages of several passes are no part of the specification's rows. */
describe.each(spokenPartners.map((partner) => [partner.name, partner] as const))('a partner %s', (_name, partner) => {
  let sandbox: ContractSandbox;
  let suite: ContractRun;

  beforeAll(async () => {
    sandbox = await contractSandbox({ ...contractSeed, ...partner.seed });
    suite = runWith(partner, sandbox);
  });

  afterAll(() => sandbox.stop());

  it('has every row of the specification, plain and through the gateway', async () => {
    const rows = (await Promise.all([suite.plainRows(), suite.gatewayRows()])).flat();
    expect(rows.length).toBeGreaterThan(300);
    expect(rows.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  });

  it('does nothing otherwise than its dialect says', async () => {
    const findings = await suite.findings();
    expect(findings.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
  });

  it('refuses a second use of what is unique in words that its dialect knows', async () => {
    const proofs = await suite.proofs();
    expect(proofs.length).toBeGreaterThan(0);
    expect(proofs.filter(({ ok }) => !ok)).toEqual([]);
  });
});

function runWith({ dialect }: SpokenPartner, { target }: ContractSandbox): ContractRun {
  const plan = planContract(dialect, null);
  return new ContractRun({ plan, target, setup: loadSetup(null), dialect, run: 'dialect' });
}
