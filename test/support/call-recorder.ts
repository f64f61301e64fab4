import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { EmbeddedDatabase } from '../../lib/dev/embedded-database.ts';

/** A call of the DynamoDB API, as IAM sees it. */
export interface DatabaseCall {
  /** `dynamodb:GetItem`. */
  readonly action: string;
  readonly table: string;
  /** Of a Query that does not look in the table itself. */
  readonly index?: string;
  /** What `dynamodb:LeadingKeys` holds: the partition keys that the call names. Empty when it names none. */
  readonly leadingKeys: readonly string[];
}

export interface CallRecorder {
  readonly calls: readonly DatabaseCall[];
  readonly client: EmbeddedDatabase['client'];
  close(): Promise<void>;
}

/** Stands in front of a database, and writes every call down before it passes it on. */
export async function startCallRecorder({ client }: EmbeddedDatabase): Promise<CallRecorder> {
  const calls: DatabaseCall[] = [];
  const server = createServer(async (request, response) => {
    const { host: _host, connection: _connection, ...headers } = request.headers as Record<string, string>;
    const body = await text(request);
    calls.push(readCall(headers['x-amz-target'] ?? '', JSON.parse(body)));
    const answer = await fetch(client.endpoint, { method: 'POST', headers, body });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    calls,
    client: { ...client, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readCall(target: string, body: any): DatabaseCall {
  const [, name = ''] = target.split('.');
  const { TableName, IndexName: index } = body;
  const call = { action: `dynamodb:${name}`, table: String(TableName), leadingKeys: leadingKeysOf(body) };
  return index === undefined ? call : { ...call, index };
}

function leadingKeysOf({ Key, Item, KeyConditionExpression, ExpressionAttributeValues }: any): string[] {
  if (KeyConditionExpression === undefined) return [(Key ?? Item)?.pk?.S].filter((key) => key !== undefined);
  const [, value] = /^(?:pk|attention) = (:\w+)/.exec(KeyConditionExpression) ?? [];
  if (value === undefined) throw new Error(`no partition key was found in "${KeyConditionExpression}"`);
  return [ExpressionAttributeValues[value].S];
}
