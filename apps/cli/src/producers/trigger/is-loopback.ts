const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Whether a host is this machine by its very name; what a name server says of it is not asked. */
export function isLoopback(host: string): boolean {
  return loopback.test(host.replace(/^\[(.*)\]$/, '$1'));
}

/** The host of `host:port`. */
export function hostOf(broker: string): string {
  return broker.slice(0, broker.lastIndexOf(':'));
}
