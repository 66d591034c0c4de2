/**
 * The name under which something is stored. Consoles of several daemons may lie below one origin, each at a path of its
 * own: what is kept for one must not be sent to the next.
 */
export function ownKey(name: string): string {
  const { pathname } = new URL(document.baseURI);
  return pathname === '/' ? `loyaltyd.${name}` : `loyaltyd.${name} ${pathname}`;
}
