import type { Environment } from '#contracts';

import { samePlace } from './secrets.module.js';

/** What the guard of a process that works by the one says of the other. */
async function objection(from: string, to: string): Promise<string | null> {
  const by = (value: string): Environment => ({ database: { url: { value, file: null } } }) as Environment;
  return samePlace({ current: by(from) })(by(to));
}

describe('a database URL that changes', () => {
  it.each([
    ['postgres://one:a@db/x', 'postgres://two:b@db/x'],
    ['postgres://one@db/x', 'postgres://two@db:5432/x'],
    ['postgresql://one@db:5432/x', 'postgresql://two@db/x'],
    ['postgres://one@[::1]/x', 'postgres://two@[::1]:5432/x'],
  ])('names the same place: %s, %s', async (from, to) => {
    expect(await objection(from, to)).toBeNull();
  });

  it.each([
    ['postgres://one@db/x', 'postgres://one@elsewhere/x'],
    ['postgres://one@db/x', 'postgres://one@db:5433/x'],
    ['postgres://one@db:5433/x', 'postgres://one@db/x'],
    ['postgres://one@db/x', 'postgres://one@db/y'],
  ])('names another: %s, %s', async (from, to) => {
    expect(await objection(from, to)).toContain('that needs a restart');
  });
});
