import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** Stands before a server, and says nothing any more from some moment on. */
export interface FreezingProxy {
  readonly port: number;
  /** Connections stay open, and new ones are taken; not a byte goes through. */
  freeze(): void;
  /** Breaks every connection, and every new one. */
  cut(): void;
  /** Lets everything through again; what was frozen is broken, for bytes of it are lost. */
  heal(): void;
  close(): Promise<void>;
}

/** The same address by way of a proxy on this machine: the server itself may be on another, or in a container. */
export function throughProxy(url: string, { port }: { readonly port: number }): string {
  const other = new URL(url);
  other.hostname = '127.0.0.1';
  other.port = String(port);
  return other.href;
}

export async function openFreezingProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<FreezingProxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let isCut = false;
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const upstream = connect(target);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      keep(one);
      one.on('data', (data) => {
        if (!isFrozen) other.write(data);
      });
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      isFrozen = true;
    },
    cut: () => {
      isCut = true;
      breakAll();
    },
    heal: () => {
      isFrozen = isCut = false;
      breakAll();
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      breakAll();
      await closed;
    },
  };
}
