import { wrongUsage } from '../../command-line/command-failure.js';

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function parsed(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw wrongUsage(`--server: not an address such as https://loyaltyd.example.org`);
}

/**
 * The address of a server as requests need it. A token goes over https only, unless the server is this machine.
 * @throws {CommandFailure}
 */
export function serverUrl(text: string, mayBeInsecure: boolean): string {
  const url = parsed(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw wrongUsage('--server: only scheme, host, port and path; the token goes by --token-file');
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !mayBeInsecure) {
    throw wrongUsage('--server: the token would cross the network unencrypted; use https, or say --insecure-http');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
