import { parseJson, stringifyJson } from '../../../lib/k8s/json.ts';
import type { KubeClient } from './kube-client.ts';
import type { Roundhouse } from './roundhouse.ts';
import type { WebhookBehaviour, WebhookProxy } from './webhook-proxy.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

interface Mutation {
  readonly group: string;
  /** The only version that the webhook is for. */
  readonly version: string;
  readonly resource: string;
  /** A JSON Patch of objects at that version. */
  readonly patch: readonly object[];
}

/**
 * Makes a server of Roundhouse's certificate a mutating webhook for objects with the label `mutate: VERSION`, at
 * whatever version they are written.
 *
 * @returns what it is asked from then on, the `request` of each review
 */
export async function registerMutation(
  { ask }: KubeClient,
  { ca }: Roundhouse,
  server: WebhookProxy,
  { group, version, resource, patch }: Mutation,
): Promise<readonly any[]> {
  const requests: any[] = [];
  server.behave(answerWith(patch, requests));
  const name = `${version}.${group}`;
  const webhook = {
    name,
    clientConfig: { url: `${server.url}/mutate`, caBundle: Buffer.from(ca).toString('base64') },
    rules: [{ apiGroups: [group], apiVersions: [version], operations: ['CREATE', 'UPDATE'], resources: [resource] }],
    objectSelector: { matchLabels: { mutate: version } },
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const head = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' };
  await ask('POST', CONFIGURATIONS, { body: { ...head, metadata: { name }, webhooks: [webhook] } });
  return requests;
}

function answerWith(patch: readonly object[], requests: any[]): WebhookBehaviour {
  return async ({ body }) => {
    const { apiVersion, kind, request }: any = parseJson(body);
    requests.push(request);
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
    const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch: encoded };
    return { status: 200, body: stringifyJson({ apiVersion, kind, response }) };
  };
}
