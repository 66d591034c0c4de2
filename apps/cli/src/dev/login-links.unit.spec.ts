import { shareLoginLinks, takeLoginLinks } from './login-links.js';

describe('links of `dev`', () => {
  it('are made where the address is printed, and redeemed in the daemon, which keeps nothing of it in its environment', () => {
    const { links, environment } = shareLoginLinks('the-token');
    const env: NodeJS.ProcessEnv = { ...environment, OPS_PORT: '0' };
    const served = takeLoginLinks(env);
    expect(env).toEqual({ OPS_PORT: '0' });
    const code = links.make();
    expect([served.redeem(code), served.redeem(code)]).toEqual(['the-token', null]);
    expect(served.redeem(shareLoginLinks('the-token').links.make())).toBeNull();
  });

  it('are of nobody who starts the daemon otherwise', () => {
    expect(() => takeLoginLinks({ OPS_TOKENS: 'x' })).toThrow('only `loyaltyd dev` and the demo start this program');
  });
});
