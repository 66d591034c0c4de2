import type { IncomingHttpHeaders } from 'node:http';

/** What is read of a request to tell the address it came in by. */
export interface AddressedRequest {
  readonly headers: Pick<IncomingHttpHeaders, 'host'>;
  readonly raw: {
    readonly socket: { readonly localAddress?: string | undefined; readonly localPort?: number | undefined };
  };
}

/** A name or an address, perhaps with a port: nothing that could end an attribute or begin a path. */
const hostPattern = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * `http://host:port` of this sandbox as the caller of a request knows it, so that links in the answer work wherever the
 * caller sits (another container, a forwarded port); without a sane Host header, the address that was connected to.
 */
export function ownOrigin(request: AddressedRequest): string {
  const host = request.headers.host ?? '';
  return `http://${hostPattern.test(host) ? host : connectedAddress(request)}`;
}

function connectedAddress({ raw: { socket } }: AddressedRequest): string {
  const address = socket.localAddress ?? '127.0.0.1';
  const port = socket.localPort ?? 80;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
