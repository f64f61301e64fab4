import { Socket } from 'node:net';

/** Preloaded into the processes of the CDK command line: one that opens a connection, to whatever, ends with 99. */
Socket.prototype.connect = () => {
  process.stderr.write(`${new Error('the network is used').stack}\n`);
  process.exit(99);
};
