import type { TlsOptions } from 'node:tls';
import pg from 'pg';

/** What a connection is made with. */
export interface DatabaseLogin {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** TLS options, or false for none. */
  readonly ssl: TlsOptions | false;
}

/**
 * The driver holds a certificate against `localhost` where the address is an IP address: it hands over an open socket
 * and no name (node-postgres 8.23, `lib/connection.js`).
 */
function tlsTo({ url, ssl }: DatabaseLogin): object | false {
  if (ssl === false) return false;
  return { ...ssl, host: new URL(url).hostname.replace(/^\[|\]$/g, '') };
}

/** A client class that asks for its login each time one is made: a pool's new connections follow a changed password. */
export function clientOf(login: () => DatabaseLogin): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const current = login();
      super({ ...config, connectionString: current.url, ssl: tlsTo(current) });
    }
  };
}
