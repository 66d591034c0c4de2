import { BlockList, isIP } from 'node:net';

/** Some proxies write the port as well; an IPv4 address of a socket may come as one of IPv6. */
function plainAddress(text: string): string {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withoutPort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  const address = bracketed ?? withoutPort ?? text;
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/** Tells from where a request comes: from its connection, or past the proxies that are trusted to say it. */
export class ClientAddresses {
  private readonly trusted = new BlockList();

  /** @param proxies as `OPS_TRUSTED_PROXIES` has them: addresses with the length of their prefix */
  constructor(proxies: readonly string[]) {
    for (const block of proxies) {
      const [address = '', prefix = ''] = block.split('/');
      this.trusted.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
    }
  }

  /**
   * Each proxy adds at the right whom it was connected to: what is left of the first untrusted one may be made up.
   * @param peer whose connection it is
   * @param forwardedFor the header `X-Forwarded-For`
   */
  addressOf(peer: string, forwardedFor = ''): string {
    const hops = forwardedFor.split(',').map((hop) => plainAddress(hop.trim()));
    let address = plainAddress(peer);
    while (this.isTrusted(address)) {
      const before = hops.pop();
      if (before === undefined || isIP(before) === 0) return address;
      address = before;
    }
    return address;
  }

  private isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}
