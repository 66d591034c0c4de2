import { createServer, type AddressInfo } from 'node:net';

/** `count` different TCP ports that were free on 127.0.0.1 a moment ago. Somebody may take one before its use: retry. */
export const freeLoopbackPorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer());
  const listening = servers.map(
    (server) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
      }),
  );
  try {
    return await Promise.all(listening);
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
};
