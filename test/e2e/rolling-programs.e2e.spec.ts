import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ProgramsStatus, ReloadResult } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { awaitEffects, readLedger } from './partner.js';
import type { Emission } from './traffic.js';
import { enrolled, produce, purchased } from './traffic.js';

/** Another number of a purchase, which those of before are not recognised by. */
const wider = programsFile
  .replace('currency: EUR', 'currency: EUR\n    purchaseKey: [storeId, purchaseId]')
  .replaceAll(/receipt: (purchaseId|refundId)/g, 'receipt: { join: [storeId, $1] }');
const members = Array.from({ length: 8 }, (_, index) => `m-${index}`);

describe('two daemons on one database, while a file that does harm is rolled out', () => {
  let harness: Harness;
  let folder: string;
  let daemons: readonly RunningProcess[];
  let admin: ApiClient;
  let effects = 0;

  const fileOf = (index: number): string => join(folder, `${index}.yaml`);
  const standing = async (): Promise<ProgramsStatus> => (await admin.get('/reload')).body as ProgramsStatus;

  /** Each member's purchase of that letter, as its till tells it. */
  const purchases = (letter: string): Emission[] => members.map((member) => purchased(member, `${letter}-${member}`));

  /** The same purchases, told by another event each. */
  const retold = (letter: string): Emission[] =>
    purchases(letter).map((emission) => {
      const value = String(emission.message.value).replace('"id":"p-', '"id":"again-');
      return { ...emission, message: { ...emission.message, value } };
    });

  /** Nothing of a member goes before what was told earlier: once these are there, so is all of before. */
  async function deliver(...told: readonly (readonly Emission[])[]): Promise<void> {
    await produce(harness.broker, harness.topics, told.flat());
    effects += members.length;
    await awaitEffects(harness.sandboxUrl, effects);
  }

  async function start(index: number, text: string): Promise<RunningProcess> {
    await writeFile(fileOf(index), text);
    return harness.startDaemon({ LOYALTYD_PROGRAMS: fileOf(index), OPS_TOKENS: apiTokens });
  }

  beforeAll(async () => {
    [harness, folder] = await Promise.all([openHarness(), mkdtemp(join(tmpdir(), 'loyaltyd-rolling-'))]);
    daemons = await Promise.all([start(0, programsFile), start(1, programsFile)]);
    admin = new ApiClient(daemons[0]!, 'admin');
    await deliver(members.map(enrolled));
    await deliver(purchases('a'));
  });

  afterAll(async () => {
    await harness.close();
    await rm(folder, { recursive: true });
  });

  it('is taken over by neither, nor by one that starts: both go on by the old one, and know its numbers', async () => {
    await writeFile(fileOf(0), wider);
    await waitUntil(async () => (await standing()).processes.some(({ problem }) => problem !== null), {
      what: 'the process with the new file to say why it keeps the old one',
      timeoutMs: 60_000,
    });
    await expect(start(2, wider)).rejects.toThrow(/ended with 2[^]*coffee-club\.purchaseKey[^]*accept-programs/);
    const { agree, processes } = await standing();
    expect([agree, processes.length]).toEqual([true, 2]);
    await deliver(retold('a'), purchases('b'));
    expect(await receipts()).toEqual(members.flatMap((member) => [`a-${member}`, `b-${member}`]).toSorted());
  });

  it('is worked by where an admin has accepted it, and the other process by its own until that changes', async () => {
    const accept = ['coffee-club.purchaseKey'];
    const { body } = await admin.post('/reload', { reason: 'the second store opens', accept });
    const { changed, agree, problems } = body as ReloadResult;
    expect([changed, agree, problems.length]).toEqual([true, false, 1]);
    // Back would do the same harm.
    await expect(start(3, programsFile)).rejects.toThrow(/ended with 2[^]*coffee-club\.purchaseKey/);
    await deliver(purchases('c'), purchases('c'));
    await writeFile(fileOf(1), wider);
    await waitUntil(async () => (await standing()).agree, { what: 'both to work by the new file', timeoutMs: 60_000 });
    await deliver(retold('d'), purchases('d'), purchases('c'));
  });

  it('nothing was sent twice', async () => {
    const sales = (await readLedger(harness.sandboxUrl)).filter(({ operation }) => operation === 'transaction');
    const counts = members.map((member) => sales.filter(({ uniqueId }) => uniqueId === member).length);
    expect(counts).toEqual(members.map(() => 4));
    // By the new file, which joins the numbers.
    expect((await receipts()).filter((receipt) => receipt.startsWith('d-'))).toEqual([]);
  });

  async function receipts(): Promise<string[]> {
    const ledger = await readLedger(harness.sandboxUrl);
    return ledger.flatMap(({ operation, key }) => (operation === 'transaction' ? [String(key)] : [])).toSorted();
  }
});
