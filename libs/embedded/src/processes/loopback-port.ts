import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Linux takes the ports of outgoing connections and of `listen(0)` from 32,768 up (`net.ipv4.ip_local_port_range`). A port
 * below that is ours until a server of ours listens there, and again after its restart; one from above was taken by any
 * connection in between.
 */
const firstPort = 20_000;
const lastPort = 29_999;
const triesMax = 1_000;

/** Never given twice by this process, also when the first use has ended: a client may still look for it there. */
const given = new Set<number>();

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/**
 * `count` different TCP ports that are free on 127.0.0.1. Another process that asks may get the same one, once in
 * thousands of times: retry a start that finds its port taken.
 */
export const freeLoopbackPorts = async (count: number): Promise<number[]> => {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries === triesMax) throw new Error(`no ${count} free ports on 127.0.0.1 from ${firstPort} to ${lastPort}`);
    const port = randomInt(firstPort, lastPort + 1);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
};
