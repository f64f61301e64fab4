import { once } from 'node:events';
import { access, constants, mkdir, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { AppError } from '../errors.ts';
import { tableDefinition } from '../store/table.ts';

interface EmbeddedDatabaseOptions {
  /** Folder that keeps the data; in memory when absent. Made when it is not there. */
  readonly dir?: string;
  readonly tableName?: string;
}

export interface EmbeddedDatabase {
  readonly tableName: string;
  /** What a DynamoDB client connects with. */
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** Stops the server, ends its connections and releases the folder. */
  close(): Promise<void>;
}

/** Any will do: the emulator checks neither signature nor region. */
const CONNECTION = { region: 'us-east-1', credentials: { accessKeyId: 'embedded', secretAccessKey: 'embedded' } };

/**
 * Starts a DynamoDB emulator in this process, on a loopback port of its own, with the table made.
 * @throws AppError CONFLICT when another process uses the folder, UNPROCESSABLE when the folder cannot be used
 */
export async function startEmbeddedDatabase({
  dir,
  tableName = 'roundhouse',
}: EmbeddedDatabaseOptions = {}): Promise<EmbeddedDatabase> {
  if (dir !== undefined) await checkFolder(dir);
  const instant = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };
  const server = dynalite({ ...instant, ...(dir !== undefined && { path: dir }) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = { ...CONNECTION, endpoint: `http://127.0.0.1:${port}` };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= stop(server);
    return closing;
  };
  try {
    await createTable(client, tableName);
  } catch (error) {
    await close();
    throw error;
  }
  return { tableName, client, close };
}

function stop(server: Server): Promise<void> {
  return new Promise((done, failed) => {
    server.close((error) => (error ? failed(error) : done()));
    server.closeAllConnections();
  });
}

async function createTable(connection: EmbeddedDatabase['client'], tableName: string): Promise<void> {
  const client = new DynamoDBClient(connection);
  try {
    await client.send(new CreateTableCommand(tableDefinition(tableName)));
  } catch (error) {
    // A folder that was used before has the table.
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  try {
    // Even without simulated latency a table is ACTIVE only some turns of the event loop after the answer.
    for (let status: string | undefined; status !== 'ACTIVE'; await setImmediate()) {
      status = (await client.send(new DescribeTableCommand({ TableName: tableName }))).Table?.TableStatus;
    }
  } finally {
    client.destroy();
  }
}

/** Not `mkdir` with `recursive`: below a folder such as /proc, where nothing can be made, that never returns. */
async function makeFolder(dir: string): Promise<void> {
  const found = await stat(dir).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new Error('it is a file');
  const parent = dirname(resolve(dir));
  if (parent !== dir) await makeFolder(parent);
  await mkdir(dir);
}

interface LevelDatabase {
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens and closes the folder once, to learn what is wrong with it. The emulator opens it again by itself, but a failure
 * in there ends the process without a word about the reason.
 */
async function checkFolder(dir: string): Promise<void> {
  try {
    await makeFolder(dir);
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw unusable(dir, cause);
  }
  const { Level } = createRequire(createRequire(import.meta.url).resolve('dynalite'))('level') as {
    Level: new (path: string, options: { valueEncoding: string }) => LevelDatabase;
  };
  const level = new Level(dir, { valueEncoding: 'json' });
  try {
    await level.open();
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    if ((cause as { code?: string }).code === 'LEVEL_LOCKED') {
      const hint = 'Stop the other instance, or use another folder.';
      throw new AppError('CONFLICT', `The data folder ${dir} is in use by another instance. ${hint}`, {}, { cause });
    }
    throw unusable(dir, cause);
  } finally {
    await level.close();
  }
}

function unusable(dir: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : 'unknown reason';
  const hint = 'Name a folder that this user can write to.';
  return new AppError('UNPROCESSABLE', `The data folder ${dir} cannot be used: ${reason}. ${hint}`, {}, { cause });
}
