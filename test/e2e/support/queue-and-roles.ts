import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface QueueAndRoles {
  readonly url: string;
  /** Bodies of the messages that wait, in their order. */
  readonly messages: string[];
  /** By name. */
  readonly roles: ReadonlyMap<string, Role>;
  readonly close: () => Promise<void>;
}

interface Role {
  readonly form: URLSearchParams;
  policy?: string;
}

/** As much of SQS (SendMessage to a FIFO queue) and of IAM (the role of an app) as a deploy needs. */
export async function startQueueAndRoles(account: string): Promise<QueueAndRoles> {
  const messages: string[] = [];
  const roles = new Map<string, Role>();
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const text = await readText(request);
    if (request.headers['x-amz-target'] === 'AmazonSQS.SendMessage') return send(messages, seen, text, response);
    const form = new URLSearchParams(text);
    const [status, body] = answerIam(account, roles, form);
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    roles,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(messages: string[], seen: Set<string>, text: string, response: ServerResponse): void {
  const { MessageBody, MessageDeduplicationId } = JSON.parse(text);
  if (!seen.has(MessageDeduplicationId)) messages.push(MessageBody);
  seen.add(MessageDeduplicationId);
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
  const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
  response.end(JSON.stringify({ MessageId: randomUUID(), MD5OfMessageBody, SequenceNumber: '1' }));
}

function answerIam(account: string, roles: Map<string, Role>, form: URLSearchParams): [number, string] {
  const action = form.get('Action') ?? '';
  const name = form.get('RoleName') ?? '';
  const role = roles.get(name);
  const missing = (): [number, string] => [
    404,
    '<ErrorResponse><Error><Code>NoSuchEntity</Code><Message>no</Message></Error></ErrorResponse>',
  ];
  const give = (result: string): [number, string] => [
    200,
    `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`,
  ];
  if (action === 'CreateRole') {
    roles.set(name, { form });
    return give(renderRole(account, name, form));
  }
  if (role === undefined) return missing();
  if (action === 'GetRole') return give(renderRole(account, name, role.form));
  if (action === 'PutRolePolicy') {
    role.policy = form.get('PolicyDocument') ?? '';
    return give('');
  }
  if (action === 'ListRolePolicies')
    return give(`<PolicyNames>${role.policy === undefined ? '' : '<member>app</member>'}</PolicyNames>`);
  if (action === 'DeleteRole') {
    roles.delete(name);
    return give('');
  }
  if (role.policy === undefined) return missing();
  if (action === 'DeleteRolePolicy') {
    delete role.policy;
    return give('');
  }
  if (action !== 'GetRolePolicy') return missing();
  return give(`<PolicyDocument>${encodeURIComponent(role.policy)}</PolicyDocument>`);
}

function renderRole(account: string, name: string, form: URLSearchParams): string {
  const path = form.get('Path') ?? '/';
  const members = [1, 2].map((index) => {
    const [key, value] = ['Key', 'Value'].map((part) => form.get(`Tags.member.${index}.${part}`));
    return `<member><Key>${key}</Key><Value>${value}</Value></member>`;
  });
  return `<Role><Path>${path}</Path><RoleName>${name}</RoleName><Arn>arn:aws:iam::${account}:role${path}${name}</Arn>
    <AssumeRolePolicyDocument>${encodeURIComponent(form.get('AssumeRolePolicyDocument') ?? '')}</AssumeRolePolicyDocument>
    <PermissionsBoundary><PermissionsBoundaryArn>${form.get('PermissionsBoundary')}</PermissionsBoundaryArn></PermissionsBoundary>
    <Tags>${members.join('')}</Tags></Role>`;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
