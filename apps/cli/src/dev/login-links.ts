import { randomBytes } from 'node:crypto';

import { LoginLinks } from '#operations';
import { SystemClock } from '#platform';

const keyBytes = 32;
const keyVariable = 'DEV_LOGIN_KEY';
const tokenVariable = 'DEV_LOGIN_TOKEN';

interface SharedLinks {
  readonly links: LoginLinks;
  /** What the daemon has to be started with to redeem them. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Links of one run of the stack, each of which is exchanged for this token. */
export function shareLoginLinks(token: string): SharedLinks {
  const key = randomBytes(keyBytes);
  const environment = { [keyVariable]: key.toString('base64url'), [tokenVariable]: token };
  return { links: new LoginLinks({ key, token, clock: new SystemClock() }), environment };
}

/** The same links in the daemon's process, taken out of its environment. @throws where it was started otherwise */
export function takeLoginLinks(env: NodeJS.ProcessEnv): LoginLinks {
  const { [keyVariable]: key, [tokenVariable]: token } = env;
  if (key === undefined || token === undefined) throw new Error('only `loyaltyd dev` and the demo start this program');
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- whatever reads the environment later finds neither
  for (const name of [keyVariable, tokenVariable]) delete env[name];
  return new LoginLinks({ key: Buffer.from(key, 'base64url'), token, clock: new SystemClock() });
}
