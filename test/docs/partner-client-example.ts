import { createGateway, DialectRegistry, GatewayError } from '#gateway';
import { SystemClock } from '#platform';

const gateway = createGateway({
  baseUrl: 'http://127.0.0.1:4010/brands',
  authUrl: 'http://127.0.0.1:4010',
  scope: 'admin',
  readCredentials: () => ({ clientId: 'sandbox', clientSecret: 'sandbox' }),
  dialects: new DialectRegistry(),
  clock: new SystemClock(),
});
const program = { brandId: '101', programId: '2001' };
const { partner } = gateway;

const sale = await partner.send(
  {
    ...program,
    operation: 'transaction',
    uniqueId: 'm_81273',
    uniqueIdKey: 'memberId',
    transactionTypeId: '31',
    amount: '59.99',
    transactionDate: '2026-11-21T09:15:04.000Z',
    attributes: { store: 'berlin-07', receipt: 'B07-118834' },
  },
  { timeoutMs: 10_000 },
);
process.stdout.write(`${sale.outcome.kind} at stage ${sale.stage}\n`);

const listing = partner.listPasses({ ...program, status: { code: 'ACTIVE' } }, { timeoutMs: 30_000, pageSize: 2_000 });
try {
  for await (const pass of listing) process.stdout.write(`${pass.serialNumber ?? 'without a number'}\n`);
  process.stdout.write(`all of them: ${listing.summary.agrees ? 'yes' : 'nobody knows'}\n`);
} catch (error) {
  if (!(error instanceof GatewayError)) throw error;
  process.stdout.write(`${error.code}; goes on with page ${listing.summary.nextPage}\n`);
}
await gateway.close();
