import { Keyring, SealBrokenError } from '#platform';

import type { IngestKeys } from '../batch/recording.js';
import { erasedName } from '../erasure/erased-names.js';
import { destroyKey } from '../erasure/erasure.js';
import { ErasureRepository } from '../erasure/erasure-repository.js';
import { inspectInstallation, openInstallation } from '../installation.js';
import { AuditRepository } from '../operator/operator-action.js';
import { ProcessRepository } from '../processes/process.js';
import { enrolment, laneOf, now, program, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { MemberKeys } from './member-keys.js';
import { KeyUnknownError, rotateKeys, wrappedKeysMax } from './rotate-keys.js';

const audit = { at: now, actor: 'ann', address: null, reason: 'yearly' };

describe('rotating the encryption keys', () => {
  let store: TestStore;
  let processes: ProcessRepository;
  let newer: Uint8Array;
  /** Both keys, the newer one first, and then the newer one alone. */
  let both: Keyring;
  let alone: Keyring;

  beforeEach(async () => {
    store = await testStore(4);
    processes = new ProcessRepository(store.database);
    newer = store.random.bytes(32);
    both = new Keyring([newer, store.masterKey]);
    alone = new Keyring([newer]);
    await openInstallation(store.database, null, { keyring: store.keyring, random: store.random, now });
    await new Till(store).record(enrolment('e-1', 'm-1'), enrolment('e-2', 'm-2'));
  });

  afterEach(() => store.close());

  const rotate = (): ReturnType<typeof rotateKeys> =>
    rotateKeys(store.database, { keyring: both, random: store.random, audit });

  const wrapped = (): Promise<{ lane_id: number; wrapped_key: Buffer }[]> =>
    store.sql('SELECT lane_id, wrapped_key FROM member_key ORDER BY lane_id');

  it('leaves nothing that needs the older key: what was sealed opens with the newer one alone', async () => {
    const before = await inspectInstallation(store.database, store.keyring);
    const keysBefore = (await wrapped()).map((row) => store.newMemberKeys().learn(row.lane_id, row.wrapped_key));
    expect(await rotate()).toEqual({ members: 2, rewrapped: 4, left: 0, unopened: 0, behind: [] });
    expect((await inspectInstallation(store.database, alone))?.keys).toEqual(before?.keys);
    const members = new MemberKeys(alone, store.random);
    expect((await wrapped()).map((row) => members.learn(row.lane_id, row.wrapped_key))).toEqual(keysBefore);
  });

  it('leaves who is erased recognised', async () => {
    const name = { program, memberId: 'm-1' };
    const ofInstallation = async (keyring: Keyring): Promise<IngestKeys> => {
      const { members, random } = store.newKeys();
      return { members, random, ...(await inspectInstallation(store.database, keyring))!.keys! };
    };
    const { lane_id: laneId } = await laneOf(store, name.memberId);
    const { mac } = await ofInstallation(store.keyring);
    const erasure = { laneId, at: now, now, erasedName: erasedName(mac, name.memberId) };
    await store.database.transaction('erase', (session) => destroyKey(session, erasure));
    await rotate();
    const erasures = new ErasureRepository(store.database, await ofInstallation(alone));
    expect(await erasures.familyOf(name)).toEqual([{ memberId: 'm-1', laneId }]);
  });

  it('does nothing the second time, and says each time who asked for it', async () => {
    await rotate();
    const after = await wrapped();
    expect(await rotate()).toEqual({ members: 2, rewrapped: 0, left: 0, unopened: 0, behind: [] });
    expect(await wrapped()).toEqual(after);
    const { items: actions } = await new AuditRepository(store.database).list({
      actor: null,
      action: 'keys.rotate',
      programs: null,
      before: null,
      limit: 5,
    });
    expect(actions).toMatchObject([{ actor: 'ann', detail: { rewrapped: 0 } }, { detail: { rewrapped: 4 } }]);
  });

  it('goes through more members than one page has', async () => {
    await store.sql(
      `WITH m AS (
         INSERT INTO member (program_id, member_id, created_at)
         SELECT 'coffee-club', 'x-' || n, now() FROM generate_series(1, $1::int) n RETURNING lane_id)
       INSERT INTO member_key SELECT lane_id, (SELECT wrapped_key FROM member_key LIMIT 1) FROM m`,
      wrappedKeysMax,
    );
    // Their keys were made for another lane: nothing opens them, and that is told.
    expect(await rotate()).toMatchObject({ members: wrappedKeysMax + 2, rewrapped: 4, unopened: wrappedKeysMax });
  });

  it('changes nothing while a process works that does not know the first key', async () => {
    const process = {
      ...{ processId: '00000001-0000-4000-8000-000000000000', host: 'pod-7', roles: ['delivery'], startedAt: now },
      ...{ programs: { hash: 'aa01', since: now }, programsProblem: null, figures: null },
    };
    await processes.report({ ...process, keyIds: store.keyring.ids }, now);
    const before = await wrapped();
    await expect(rotate()).rejects.toThrow(KeyUnknownError);
    await expect(rotate()).rejects.toThrow('pod-7');
    expect(await wrapped()).toEqual(before);
    await processes.report({ ...process, keyIds: [...store.keyring.ids, ...alone.ids] }, now);
    // Regression: what that process makes next needs its own first key.
    expect(await rotate()).toMatchObject({ rewrapped: 4, behind: ['pod-7'] });
    await processes.report({ ...process, keyIds: [...alone.ids, ...store.keyring.ids] }, now);
    expect(await rotate()).toMatchObject({ rewrapped: 0, behind: [] });
  });

  it('refuses keys that open nothing', async () => {
    const stranger = new Keyring([store.random.bytes(32)]);
    const rotation = rotateKeys(store.database, { keyring: stranger, random: store.random, audit });
    await expect(rotation).rejects.toThrow(SealBrokenError);
  });
});
