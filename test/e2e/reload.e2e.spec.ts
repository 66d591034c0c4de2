import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { AuditPage, DialectView, IntentDetails, ProgramsStatus, ProgramsView, ReloadResult } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { MountedSecrets, openHarness, programsFile } from './harness.js';
import { readLedger } from './partner.js';
import { emission, produce } from './traffic.js';

const reason = 'the autumn campaign begins';
/** The same program of the partner's, whose receipts are told apart. */
const more = programsFile
  .replace('coffee-club:', 'tea-club:')
  .replaceAll(/receipt: (purchaseId|refundId)/g, 'receipt: { join: [program, $1] }');
const both = programsFile + more.slice(more.indexOf('  tea-club:'));
const patient = both.replace('currency: EUR', 'currency: EUR\n    missingPass: { waitMs: 7200000 }');

describe('reloading the programs file', () => {
  let harness: Harness;
  let folder: string;
  let mounted: MountedSecrets;
  let daemons: readonly RunningProcess[];
  let viewer: ApiClient;
  let operator: ApiClient;
  let admin: ApiClient;

  /** The last one is mounted as Kubernetes does it. */
  const fileOf = (index: number): string => (index === 2 ? mounted.path('2.yaml') : join(folder, `${index}.yaml`));
  const write = (index: number, text: string): Promise<void> =>
    index === 2 ? mounted.change({ '2.yaml': text }) : writeFile(fileOf(index), text);
  const writeAll = async (text: string): Promise<void> => {
    await Promise.all([0, 1, 2].map((index) => write(index, text)));
  };

  beforeAll(async () => {
    [harness, folder] = await Promise.all([openHarness(), mkdtemp(join(tmpdir(), 'loyaltyd-reload-'))]);
    mounted = await MountedSecrets.mount({ '2.yaml': programsFile });
    await writeAll(programsFile);
    const start = (roles: string, index: number): Promise<RunningProcess> =>
      harness.startDaemon({ LOYALTYD_ROLES: roles, LOYALTYD_PROGRAMS: fileOf(index), OPS_TOKENS: apiTokens });
    daemons = await Promise.all([start('operations', 0), start('ingest', 1), start('delivery', 2)]);
    viewer = new ApiClient(daemons[0]!, 'viewer');
    operator = new ApiClient(daemons[0]!, 'operator');
    admin = new ApiClient(daemons[0]!, 'admin');
    const areThere = async (): Promise<boolean> => (await standing()).processes.length === 3;
    await waitUntil(areThere, { what: 'three processes', timeoutMs: 30_000 });
  });

  afterAll(async () => {
    await harness.close();
    await Promise.all([rm(folder, { recursive: true }), mounted.unmount()]);
  });

  const standing = async (): Promise<ProgramsStatus> => (await viewer.get('/reload')).body as ProgramsStatus;

  it('shows by which file each process works', async () => {
    const { agree, disagreeingSince, processes } = await standing();
    expect([agree, disagreeingSince]).toEqual([true, null]);
    expect(processes.map(({ roles, alive }) => [roles, alive]).toSorted()).toEqual([
      [['delivery'], true],
      [['ingest'], true],
      [['operations'], true],
    ]);
    expect(new Set(processes.map(({ hash }) => hash)).size).toBe(1);
    expect(processes.filter(({ answering }) => answering)).toHaveLength(1);
  });

  it('is for operators who say why, and changes nothing with a file that is wrong', async () => {
    expect(await viewer.post('/reload', { reason })).toMatchObject({ status: 403 });
    expect(await operator.post('/reload', { reason: '' })).toMatchObject({ status: 400 });
    const { processes: before } = await standing();
    await write(0, 'programs: { coffee-club: { brandId: "101", currency: euro } }');
    const refused = await operator.post('/reload', { reason });
    expect(refused).toMatchObject({
      status: 422,
      contentType: 'application/problem+json; charset=utf-8',
      body: { type: 'urn:loyaltyd:problem:programs-file-invalid' },
    });
    const { detail } = refused.body as { readonly detail: string };
    expect(detail).toContain('programs.coffee-club.programId: ');
    expect(detail).toContain('programs.coffee-club.currency: ');
    const { processes: after } = await standing();
    expect(after.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    expect(((await viewer.get('/audit?action=programs.reload')).body as AuditPage).items).toEqual([]);
  });

  it('takes a new file over in every process, tells how they stand, and keeps who asked and why', async () => {
    await writeAll(both);
    const { status, body } = await operator.post('/reload', { reason });
    expect(status).toBe(200);
    const { changed, hash, programs, problems, agree, processes } = body as ReloadResult;
    expect([changed, programs, problems, agree]).toEqual([true, ['coffee-club', 'tea-club'], [], true]);
    expect(processes.map((process) => process.hash)).toEqual([hash, hash, hash]);
    const { items } = (await viewer.get('/audit?action=programs.reload')).body as AuditPage;
    expect(items).toMatchObject([{ actor: 'operator', reason, address: '127.0.0.1', detail: { hash, changed: true } }]);
    // Ingest knows the new program, and delivery brings it to the partner.
    const member = { id: 'e-t', memberId: 't-1', person: { email: 't-1@example.org' }, pass: {} };
    const enrolment = emission('members', 'member.enrolled', member);
    const value = enrolment.message.value?.toString().replace('coffee-club', 'tea-club') ?? null;
    await produce(harness.broker, harness.topics, [{ ...enrolment, message: { ...enrolment.message, value } }]);
    const hasArrived = async (): Promise<boolean> =>
      (await readLedger(harness.sandboxUrl)).some(({ uniqueId }) => uniqueId === 't-1');
    await waitUntil(hasArrived, { what: 'the enrolment of the new program', timeoutMs: 30_000 });
  });

  it('shows the file as it was read, and what changed in it, with who asked for it', async () => {
    const { hash, content, loads } = (await viewer.get('/programs')).body as ProgramsView;
    expect(content).toMatchObject({ programs: { 'coffee-club': { missingPurchase: {} }, 'tea-club': {} } });
    expect(loads).toMatchObject([
      { hash, by: 'operator', reason, hasMoreChanges: false },
      { by: null, changes: null },
    ]);
    expect(loads[0]?.changes).toMatchObject([{ path: 'programs.tea-club', change: 'added', from: null }]);
    const dialect = (await viewer.get('/dialect')).body as DialectView;
    expect(dialect.programs.map(({ program }) => program)).toEqual(['coffee-club', 'tea-club']);
    expect(dialect.entries.length).toBeGreaterThan(100);
  });

  it('tells by which file and rule an intent was routed, and whether that is in force', async () => {
    const route = async (): Promise<IntentDetails['route']> =>
      ((await viewer.get('/intents/tea-club~t-1~1')).body as IntentDetails).route;
    const [before] = (await standing()).processes;
    expect(await route()).toMatchObject({ rule: 'enrolment', programsHash: before?.hash, isInForce: true });
    expect(Date.parse((await route()).brokerAt)).not.toBeNaN();
    await writeAll(both.replace('currency: EUR', 'currency: EUR\n    refundUnknown: post'));
    expect((await operator.post('/reload', { reason })).body).toMatchObject({ changed: true, agree: true });
    expect(await route()).toMatchObject({ programsHash: before?.hash, isInForce: false });
    const { loads } = (await viewer.get('/programs')).body as ProgramsView;
    expect(loads[0]?.changes).toEqual([
      { path: 'programs.coffee-club.refundUnknown', change: 'changed', from: 'park', to: 'post' },
    ]);
    await writeAll(both);
    expect((await operator.post('/reload', { reason })).body).toMatchObject({ changed: true, agree: true });
  });

  it('leaves the file in force as it is where a start fails', async () => {
    const before = (await viewer.get('/programs')).body as ProgramsView;
    await writeFile(join(folder, 'other.yaml'), patient);
    const { port } = new URL(String(daemons[0]?.ready['operations']));
    const taken = { LOYALTYD_PROGRAMS: join(folder, 'other.yaml'), LOYALTYD_ROLES: 'operations', OPS_PORT: port };
    await expect(harness.startDaemon(taken)).rejects.toThrow(/ended with 1[^]*EADDRINUSE/);
    expect((await viewer.get('/programs')).body).toEqual(before);
  });

  it('does nothing twice, and says which process does not follow', async () => {
    expect((await operator.post('/reload', { reason })).body).toMatchObject({ changed: false, agree: true });
    await Promise.all([write(0, patient), write(1, patient), write(2, 'programs: {')]);
    const { body } = await operator.post('/reload', { reason });
    const { changed, agree, problems, disagreeingSince } = body as ReloadResult;
    expect([changed, agree, typeof disagreeingSince]).toEqual([true, false, 'string']);
    expect(problems).toEqual([expect.stringContaining('not readable as YAML') as string]);
    const metrics = async (): Promise<boolean> => {
      const text = await (await fetch(`${String(daemons[0]?.ready['operations'])}/metrics`)).text();
      return /^loyaltyd_programs_disagree_seconds (?!0$)/m.test(text);
    };
    await waitUntil(metrics, { what: 'the metric to tell of it', timeoutMs: 30_000 });
    // The file is mended where it was wrong: that process follows by itself.
    await write(2, patient);
    const agreed = async (): Promise<boolean> => (await standing()).agree;
    await waitUntil(agreed, { what: 'the processes to agree', timeoutMs: 60_000 });
  });

  it('refuses a file that strands what is there, everywhere and at a start, until an admin accepts it by name', async () => {
    const before = (await standing()).processes.map(({ hash }) => hash);
    await writeAll(programsFile);
    expect(await operator.post('/reload', { reason })).toMatchObject({
      status: 422,
      body: {
        type: 'urn:loyaltyd:problem:programs-file-dangerous',
        detail: expect.stringMatching(/^programs\.tea-club: it is gone, .*, or accept tea-club: /) as string,
      },
    });
    expect(await operator.post('/reload', { reason, accept: ['tea-club'] })).toMatchObject({ status: 403 });
    await expect(harness.startDaemon({ LOYALTYD_PROGRAMS: fileOf(0) })).rejects.toThrow(
      /ended with 2[^]*programs\.tea-club: it is gone/,
    );
    const { processes, agree } = await standing();
    expect([processes.map(({ hash }) => hash), agree]).toEqual([before, true]);
    const { status, body } = await admin.post('/reload', { reason, accept: ['tea-club'] });
    expect([status, body]).toMatchObject([200, { changed: true, agree: true, programs: ['coffee-club'] }]);
    const { loads } = (await viewer.get('/programs')).body as ProgramsView;
    expect(loads[0]).toMatchObject({ by: 'admin', accepted: ['tea-club'] });
  });

  it('takes it over on SIGHUP, in that process alone, and by itself where a mounted folder was swapped', async () => {
    const tookOver = (index: number, cause: string): Promise<unknown> => {
      const line = new RegExp(`"changed":true,"cause":"${cause}"[^\\n]*"programs file read again"`);
      const isTold = (): boolean => line.test(daemons[index]?.stderr() ?? '');
      return waitUntil(isTold, { what: `process ${index} to take it over`, timeoutMs: 30_000 });
    };
    await writeFile(fileOf(1), both);
    daemons[1]?.kill('SIGHUP');
    await tookOver(1, 'signal');
    const differs = async (): Promise<boolean> => !(await standing()).agree;
    await waitUntil(differs, { what: 'the others to work by another file', timeoutMs: 30_000 });
    await write(2, both);
    await tookOver(2, 'the file changed');
  });
});
