import type { PartnerCommand } from '#intents/core';
import { expectedPass } from '#intents/core';
import { matchMembers } from '#intents';
import { deliverOne, enrolment, program, Retaining, testStore, Till, update } from '#intents/testing';

import { loadSentContents } from './sent-contents.js';

it('knows nothing of what a pass must show once an update has left', async () => {
  const store = await testStore(2);
  const retaining = new Retaining(store);
  const expected = async (): Promise<object> => {
    const keys = store.newKeys();
    const members = await matchMembers(store.database, { program, memberIds: ['m'] }, keys);
    const [history] = (await loadSentContents(store.database, [...members.values()], keys.members)).values();
    return Object.fromEntries(expectedPass(history?.sent ?? []));
  };
  const begun = enrolment('e', 'm');
  const intents = begun.verdict.intents.map((intent) => ({
    ...intent,
    command: { ...intent.command, content: { tierId: 1 } } as PartnerCommand,
  }));
  try {
    await new Till(store).record({ ...begun, verdict: { ...begun.verdict, intents } }, update('u', 'm', 7));
    for (let left = 2; left > 0; left -= 1) await deliverOne(store);
    expect(await expected()).toMatchObject({ templateTierId: 7 });
    expect(await retaining.run()).toMatchObject({ intents: 1 });
    expect(await expected()).toEqual({});
  } finally {
    await store.close();
  }
});
