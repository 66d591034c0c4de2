import type { Environment } from '#contracts';

import { LiveEnvironment } from '../environment/live-environment.js';
import { mainThreadView, workerView } from './threads.js';

const variables = {
  KAFKA_BROKERS: 'k:1',
  ALLOW_CLEARTEXT: 'postgres,kafka',
  WALLET_BASE_URL: 'https://partner.example/brands',
  WALLET_AUTH_URL: 'https://partner.example',
  WALLET_CLIENT_ID: 'id',
  WALLET_CLIENT_SECRET: 'secret',
  WALLET_SCOPE: 'admin',
  LOYALTYD_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  DATABASE_URL_FILE: '/url',
  OPS_TOKENS: `ann:admin:${'a'.repeat(64)}`,
};
const texts = new Map([['/url', 'postgres://one@db/x']]);

function open(workers: number, view: (whole: Environment) => Environment, more: object = {}): LiveEnvironment {
  const opened = LiveEnvironment.open({ ...variables, LOYALTYD_WORKERS: String(workers), ...more }, { texts, view });
  if (!opened.ok) throw new Error(opened.errors.join());
  return opened.live;
}

describe('the environment of a thread', () => {
  const shares = (workers: number, more: object = {}): unknown[] =>
    [mainThreadView, workerView].map((view) => {
      const { roles, database } = open(workers, view, more).current;
      return [roles.join(), database?.poolSize];
    });

  it('is the whole where there is one', () => {
    expect(shares(1)[0]).toEqual(['ingest,delivery,operations', 10]);
  });

  it('holds its part of the roles and of the connections', () => {
    expect(shares(2)).toEqual([
      ['operations', 4],
      ['ingest,delivery', 3],
    ]);
    expect(shares(3, { DATABASE_POOL_SIZE: '30', LOYALTYD_ROLES: 'delivery' })).toEqual([
      ['', 9],
      ['delivery', 7],
    ]);
  });

  it('takes over what the main thread has read, of secrets and of nothing else', () => {
    const live = open(2, workerView);
    const heard: unknown[] = [];
    live.whenAdopted((now) => heard.push(now));
    const next = new Map([['/url', 'postgres://two@db/x']]);
    live.adopt(next);
    expect(live.current.database).toMatchObject({ url: { value: 'postgres://two@db/x' }, poolSize: 3 });
    expect([live.current.roles, live.whole.roles.length, heard]).toEqual([['ingest', 'delivery'], 3, [next]]);
  });
});
