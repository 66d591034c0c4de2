import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ProgramsFile } from '#contracts';
import { DialectRegistry } from '#gateway';
import { MemberKeys, ProcessRepository, ProgramsLoadRepository, noFigures } from '#intents';
import type { LogFields } from '#platform';
import { Keyring, PostgresConnection, SystemClock, SystemRandom } from '#platform';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { dialectLayers } from '../environment/configuration.module.js';
import { ProgramsHolder } from './programs-holder.js';
import { ProgramsReloader } from './programs-reloader.js';
import { ProgramsWatch } from './programs-watch.js';

const fileOf = (programId: number, more = ''): string =>
  `programs: { club: { brandId: 1, programId: ${programId}${more} } }`;

/** A clock that can be set. */
class SetClock extends SystemClock {
  aheadMs = 0;

  override now(): number {
    return super.now() + this.aheadMs;
  }
}

interface Actor {
  readonly holder: ProgramsHolder;
  readonly reloader: ProgramsReloader;
  readonly watch: ProgramsWatch;
  readonly applied: readonly ProgramsFile[];
  readonly logged: readonly string[];
}

describe('processes that work by a programs file each', () => {
  let test: TestDatabase;
  let connection: PostgresConnection;
  let folder: string;
  let clock: SetClock;
  let loads: ProgramsLoadRepository;
  const random = new SystemRandom();

  beforeEach(async () => {
    test = await testDatabase();
    const settings = { poolSize: 2, ssl: false as const, applicationName: 'programs-spec', migrations: [] };
    connection = new PostgresConnection({ url: test.url, ...settings, onPoolError: () => undefined });
    await connection.connect();
    const keys = new MemberKeys(new Keyring([random.bytes(32)]), random);
    loads = new ProgramsLoadRepository(connection.database, keys);
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-programs-'));
    clock = new SetClock();
  });

  afterEach(async () => {
    await connection.close();
    await Promise.all([test.dispose(), rm(folder, { recursive: true })]);
  });

  const pathOf = (host: string): string => join(folder, `${host}.yaml`);
  const write = (host: string, text: string): Promise<void> => writeFile(pathOf(host), text);

  const start = async (host: string, text = fileOf(1)): Promise<Actor> => {
    await write(host, text);
    const holder = await ProgramsHolder.open(pathOf(host));
    const applied: ProgramsFile[] = [];
    const logged: string[] = [];
    const log = (_fields: LogFields, message: string): void => void logged.push(message);
    const logger = { debug: log, info: log, warn: log, error: log };
    const reloader = new ProgramsReloader({
      ...{ programs: holder, clock, logger, host },
      admit: (taken) => loads.admit(taken, clock.now()),
      checkDialects: (file) => {
        new DialectRegistry(dialectLayers(null, file));
      },
      apply: (file) => void applied.push(file),
    });
    await reloader.open();
    const self = { processId: random.uuid(), host, roles: ['ingest'] };
    const signature = (): Promise<string | null> => holder.signature();
    const watch = new ProgramsWatch({
      processes: new ProcessRepository(connection.database),
      clock,
      random,
      logger,
      reloader,
      self,
      keyIds: () => ['0a1b2c3d'],
      figures: () => noFigures,
      signature,
    });
    return { holder, reloader, watch, applied, logged };
  };

  const standing = async (): Promise<readonly string[]> => {
    const processes = await new ProcessRepository(connection.database).list(clock.now());
    const lines = processes.map(({ host, programs, programsProblem }) =>
      `${host} ${programs.hash.slice(0, 6)} ${programsProblem ?? ''}`.trim(),
    );
    return lines.toSorted(); // processes that started in the same millisecond come in any order
  };

  it('follow when somebody asks one of them, and go on by what they have where theirs is wrong', async () => {
    const [one, two, three] = [await start('one'), await start('two'), await start('three')];
    for (const { watch } of [one, two, three]) await watch.turn();
    await write('one', fileOf(2));
    const word = { at: clock.now(), actor: 'ann', address: null, reason: 'a new program' };
    const outcome = await one.reloader.reload('operator', (read) => loads.requestReload({ ...read, accept: [] }, word));
    expect(outcome).toMatchObject({ kind: 'done', changed: true, programs: ['club'] });
    await write('two', fileOf(2));
    await write('three', 'programs: { club: { brandId: 1 } }');
    // What came of it is told at once.
    expect(await two.watch.turn()).toBe(0);
    expect(two.applied.map(({ programs }) => programs['club']?.programId)).toEqual(['2']);
    expect(await three.watch.turn()).toBeGreaterThan(0);
    expect(three.applied).toEqual([]);
    for (const { watch } of [one, two, three]) await watch.turn();
    const { hash } = one.reloader.inForce;
    expect(await standing()).toEqual([
      `one ${hash.slice(0, 6)}`,
      `three ${three.reloader.inForce.hash.slice(0, 6)} ${pathOf('three')}: programs.club.programId: must be an id: text without spaces and without what cannot be seen, or a whole number`,
      `two ${hash.slice(0, 6)}`,
    ]);
    // Told once, however often it is looked at; and mended, it follows after all.
    await three.watch.turn();
    expect(three.logged.filter((line) => line === 'programs file not taken over')).toHaveLength(1);
    await write('three', fileOf(2));
    await three.watch.turn();
    expect(three.reloader.inForce.hash).toBe(hash);
    expect(three.reloader.problem).toBeNull();
  });

  it('keep each file once, with who asked for it', async () => {
    const [one, two] = [await start('one'), await start('two')];
    for (const { watch } of [one, two]) await watch.turn();
    await write('one', fileOf(2));
    await write('two', fileOf(2));
    const word = { at: clock.now(), actor: 'ann', address: null, reason: 'a new program' };
    await one.reloader.reload('operator', (read) => loads.requestReload({ ...read, accept: [] }, word));
    for (const { watch } of [two, one, two]) await watch.turn();
    await write('two', fileOf(3));
    await two.reloader.reload('signal');
    await two.watch.turn();
    const known = await loads.list();
    expect(
      known.map(({ host, actor, content }) => [host, actor, /"programId":"(.)"/.exec(content ?? '')?.[1]]),
    ).toEqual([
      ['two', null, '3'],
      ['one', 'ann', '2'],
      ['one', null, '1'],
    ]);
  });

  it('do not follow a request of long ago', async () => {
    const one = await start('one');
    const word = { at: clock.now() - 3_600_000, actor: 'ann', address: null, reason: 'long ago' };
    const taken = { hash: 'ff', content: '{"programs":{}}', host: 'two' };
    await loads.requestReload({ loaded: { hash: 'ff', changed: true }, taken, accept: [] }, word);
    await write('one', fileOf(2));
    await one.watch.turn();
    expect(one.applied).toEqual([]);
  });

  it('take over a file that was changed, once it has not changed for a turn; half of one they do not even read', async () => {
    const one = await start('one');
    const turns = async (count: number): Promise<void> => {
      for (let turn = 0; turn < count; turn += 1) await one.watch.turn();
    };
    await turns(3);
    expect(one.applied).toEqual([]);
    await write('one', fileOf(2));
    await turns(1);
    // Still being written.
    await write('one', fileOf(3));
    await turns(1);
    expect(one.applied).toEqual([]);
    await turns(1);
    expect(one.applied.map(({ programs }) => programs['club']?.programId)).toEqual(['3']);
    await utimes(pathOf('one'), new Date(), new Date());
    await turns(3);
    expect(one.applied).toHaveLength(1);
    await rm(pathOf('one'));
    await turns(3);
    expect(one.reloader.problem).toBeNull();
  });

  it('change nothing where the request cannot be kept, nor where a dialect is wrong', async () => {
    const one = await start('one');
    await write('one', fileOf(2));
    const unkept = one.reloader.reload('operator', () => Promise.reject(new Error('Postgres is away')));
    await expect(unkept).rejects.toThrow('Postgres is away');
    expect([one.applied, one.holder.current.file.programs['club']?.programId]).toEqual([[], '1']);
    await write('one', fileOf(3, ', dialect: { nonsense: 1 }'));
    expect(await one.reloader.reload('operator')).toMatchObject({
      kind: 'invalid',
      problems: [expect.stringContaining('programs.club.dialect') as string],
    });
    expect(one.applied).toEqual([]);
  });

  it('take over two readings one after the other', async () => {
    const one = await start('one');
    await write('one', fileOf(2));
    const [isRead, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const first = one.reloader.reload('operator', () => {
      isRead.resolve(undefined);
      return goOn.promise.then(() => []);
    });
    const second = one.reloader.reload('operator');
    await isRead.promise;
    await write('one', fileOf(3));
    goOn.resolve(undefined);
    await Promise.all([first, second]);
    expect(one.holder.current.file.programs['club']?.programId).toBe('3');
  });

  it('say when they disagree for more than a minute, once, and when they agree again', async () => {
    const [one, two] = [await start('one'), await start('two', fileOf(2))];
    const turn = async (): Promise<void> => {
      for (const { watch } of [one, two]) await watch.turn();
    };
    await turn();
    await turn();
    expect(one.watch.disagreeingSeconds).toBeGreaterThanOrEqual(0);
    expect(one.logged).toEqual([]);
    clock.aheadMs = 61_000;
    await turn();
    await turn();
    expect(one.watch.disagreeingSeconds).toBeGreaterThan(60);
    expect(one.logged).toEqual(['processes have worked by different programs files for more than a minute']);
    await write('two', fileOf(1));
    await two.reloader.reload('signal');
    await turn();
    await turn();
    expect(one.watch.disagreeingSeconds).toBe(0);
    expect(one.logged.at(-1)).toBe('all processes work by the same programs file again');
  });

  it('keep the file they have where another one does harm to what is there, and do not start with it', async () => {
    const [one, two] = [await start('one'), await start('two')];
    const { hash } = one.reloader.inForce;
    await queryOnce(
      test.ownerUrl,
      `INSERT INTO member (program_id, member_id, created_at) VALUES ('club', 'm1', now())`,
    );
    const tea = 'programs: { tea: { brandId: 1, programId: 9 } }';
    await Promise.all([write('one', tea), write('two', tea)]);
    expect(await one.reloader.reload('operator')).toMatchObject({
      kind: 'dangerous',
      problems: [expect.stringMatching(/^programs\.club: it is gone, .*; keep it, or accept club: /) as string],
    });
    for (let turn = 0; turn < 3; turn += 1) await two.watch.turn();
    expect([one.applied, two.applied, one.reloader.inForce.hash, two.reloader.inForce.hash]).toEqual([
      [],
      [],
      hash,
      hash,
    ]);
    expect(two.reloader.problem).toMatch(/^programs\.club: /);
    expect(two.logged.filter((line) => line === 'programs file not taken over')).toHaveLength(1);
    await expect(start('three', tea)).rejects.toThrow(/^programs\.club: it is gone.*\n.*loyaltyd accept-programs NAME/);
    const word = { at: clock.now(), actor: 'ann', address: null, reason: 'club is over' };
    const accept = ['club'];
    expect(
      await one.reloader.reload('operator', (read) => loads.requestReload({ ...read, accept }, word)),
    ).toMatchObject({
      kind: 'done',
    });
    await two.watch.turn();
    expect(two.reloader.inForce.hash).toBe(one.reloader.inForce.hash);
    expect((await start('three', tea)).reloader.inForce.hash).toBe(one.reloader.inForce.hash);
  });

  it('say goodbye when they stop', async () => {
    const one = await start('one');
    const [loop] = one.watch.loops;
    await one.watch.turn();
    loop?.start();
    await loop?.stop();
    expect(await standing()).toEqual([]);
  });
});
