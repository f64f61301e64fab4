import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface TcpServer {
  readonly port: number;
  /** How many there have been. */
  readonly connections: number;
  readonly close: () => Promise<void>;
}

/** A server on the loopback interface that does with each connection what the test says, and knows no protocol. */
export async function startTcpServer(onConnection: (socket: Socket) => void): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
