import { ClientAddresses } from './client-addresses.js';

const proxies = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7/32'];

describe('from where a request comes', () => {
  it.each<[string, string, string | undefined, string]>([
    ['the connection, where nobody says more', '203.0.113.9', undefined, '203.0.113.9'],
    ['the connection, whatever a stranger writes', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['the connection, though a stranger names our proxy', '203.0.113.9', '198.51.100.1, 10.0.0.1', '203.0.113.9'],
    ['whom a trusted proxy was connected to', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['whom the last trusted proxy was connected to', '10.0.0.1', '198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['not what its sender has written before that', '10.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    [
      'not what its sender has written in the name of a proxy',
      '10.0.0.1',
      '127.0.0.1, 10.0.0.2, 198.51.100.1',
      '198.51.100.1',
    ],
    ['the first proxy, where it says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['the first proxy, where all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy before what is no address', '10.0.0.1', '<script>, 10.0.0.2', '10.0.0.2'],
    ['the proxy before an empty place', '10.0.0.1', ',10.0.0.2', '10.0.0.2'],
    ['an address with a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['an address of IPv6 with a port', '2001:db8::1', '[2001:db9::5]:4711', '2001:db9::5'],
    ['an address of IPv4 on a socket of IPv6', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ])('is %s', (_what, peer, forwardedFor, address) => {
    expect(new ClientAddresses(proxies).addressOf(peer, forwardedFor)).toBe(address);
  });

  it('is the connection where no proxy is trusted', () => {
    expect(new ClientAddresses([]).addressOf('127.0.0.1', '198.51.100.1')).toBe('127.0.0.1');
  });
});
