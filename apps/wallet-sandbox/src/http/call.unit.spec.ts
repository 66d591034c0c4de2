import { ownOrigin } from './call.js';

const from = (host: string | undefined, localAddress = '127.0.0.1') =>
  ownOrigin({ headers: { host }, raw: { socket: { localAddress, localPort: 4010 } } });

it.each(['localhost:4010', 'wallet-sandbox', '127.0.0.1:80', '[::1]:4010', 'wallet.example.org:4010'])(
  'is the host that the caller asked for: %s',
  (host) => {
    expect(from(host)).toBe(`http://${host}`);
  },
);

it.each([undefined, '', 'a/b', 'a"b', "a'b", '<script>', 'a b', 'user@host', 'a:99999999', 'a\\b', '[::1', 'a?b#c'])(
  'is the address that was connected to when the caller says %j',
  (host) => {
    expect(from(host)).toBe('http://127.0.0.1:4010');
    expect(from(host, '::1')).toBe('http://[::1]:4010');
  },
);
