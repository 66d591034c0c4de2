import type { Environment } from '#contracts';
import { readEnvironmentParts } from '#contracts';
import { DialectRegistry } from '#gateway';
import { createLogger, SystemClock } from '#platform';
import type { IssuedCertificate } from '#test-support';
import { createTestAuthority } from '#test-support';

import { gatewayOptions } from './gateway-options.js';

const authority = createTestAuthority();
const issue = (): IssuedCertificate => authority.issue({ hosts: ['loyaltyd.example.org'] });

const environmentOf = (own: IssuedCertificate, headers: string): Environment => {
  const files: Readonly<Record<string, string>> = { '/cert': own.cert, '/key': own.key, '/headers': headers };
  const { value } = readEnvironmentParts(
    {
      LOYALTYD_ROLES: 'delivery',
      WALLET_BASE_URL: 'https://partner.example/brands',
      WALLET_AUTH_URL: 'https://auth.example',
      WALLET_CLIENT_ID: 'id',
      WALLET_CLIENT_SECRET: 'secret',
      WALLET_SCOPE: 'scope',
      WALLET_CERT_FILE: '/cert',
      WALLET_KEY_FILE: '/key',
      WALLET_HEADERS_FILE: '/headers',
    },
    { readFile: (path) => files[path] ?? '' },
  );
  return value;
};

describe('the gateway to the partner', () => {
  const tools = { clock: new SystemClock(), logger: createLogger({ level: 'silent', service: 'spec' }) };

  it('shows the certificate and the headers that are in force at each use', () => {
    const [first, second] = [issue(), issue()];
    const live = { current: environmentOf(first, 'X-Key=one') };
    const { connection, callHeaders, tokenHeaders } = gatewayOptions(live, new DialectRegistry(), tools);
    expect([connection?.certificate?.(), callHeaders?.(), tokenHeaders?.()]).toEqual([first, { 'x-key': 'one' }, {}]);
    live.current = environmentOf(second, 'X-Key=two');
    expect([connection?.certificate?.(), callHeaders?.()]).toEqual([second, { 'x-key': 'two' }]);
  });
});
