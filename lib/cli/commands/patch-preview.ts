import { hasErrors } from '../../engine/diagnostic.ts';
import { getOwn, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { readCaBundle } from '../authoring/patch/ca-bundle.ts';
import { PATH_TOKEN_FLAG, readPathToken } from '../authoring/patch/endpoint-url.ts';
import { servicePatch, urlPatch } from '../authoring/patch/webhook-patch.ts';
import { defineCommand, type Flag } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { CONFIG_FLAG, invalidConversion, readConversion, SCHEMA_FLAGS } from '../input/conversion.ts';
import type { Io } from '../io.ts';
import { DOCUMENT_FLAG, printDocuments } from '../output/document.ts';

const SERVICE_FLAGS = {
  serviceName: { value: 'NAME', summary: 'the Service of a webhook server in the cluster' },
  serviceNamespace: { value: 'NAMESPACE', summary: 'its namespace' },
  path: { value: 'PATH', summary: 'the path that it serves; /convert/<target> when left out' },
  port: { value: 'PORT', summary: 'its port; 443 when left out' },
  planHash: { value: 'HASH', summary: 'the plan hash to put into an annotation' },
} as const satisfies Record<string, Flag>;

export const patchPreview = defineCommand({
  name: 'patch-preview',
  group: 'Author',
  summary: 'print the server-side-apply patch that points a CRD or XRD at its webhook',
  description:
    'With --url the webhook is Roundhouse: the URL of an endpoint (https://HOST/convert/ENDPOINT), to which its path token and the name of the target are added; without a token REPLACE_WITH_TOKEN. With --service-name it is a Service of the cluster, as the Go operator wires it. No cluster is contacted: `wire` applies such a patch, after it looked whether the webhook answers. With a schema the config is analysed first.',
  flags: {
    config: CONFIG_FLAG,
    ...SCHEMA_FLAGS,
    url: { value: 'URL', summary: 'the https:// URL of an endpoint of Roundhouse' },
    pathTokenFile: PATH_TOKEN_FLAG,
    caBundle: {
      value: 'BUNDLE',
      summary: "the CA of the webhook's certificate: PEM, base64 of it, or a file with either",
    },
    ...SERVICE_FLAGS,
    output: DOCUMENT_FLAG,
  },
  oneOf: [
    { flags: ['xrd', 'crd'] },
    { flags: ['url', 'serviceName'], required: true },
    { flags: ['url', 'serviceNamespace'] },
    { flags: ['url', 'path'] },
    { flags: ['url', 'port'] },
    { flags: ['url', 'planHash'] },
    { flags: ['serviceName', 'pathTokenFile'] },
  ],
  examples: [
    {
      what: 'For Roundhouse',
      command: 'patch-preview -c config.yaml --url https://hooks.example.org/convert/main --path-token-file token',
    },
    {
      what: 'For a Service of the cluster',
      command: 'patch-preview -c config.yaml --service-name webhook --service-namespace conversion --ca-bundle ca.crt',
    },
  ],
  async run({ flags }, io) {
    const given = await readConversion(flags, io);
    const { config, documents, findings } = given;
    if (!config || hasErrors(findings.map(({ diagnostic }) => diagnostic))) throw invalidConversion(given, io);
    const apiVersion = documents.schema && String(getOwn(documents.schema.value, 'apiVersion'));
    const caBundle = flags.caBundle === undefined ? undefined : await readBundle(flags.caBundle, io);
    const token = flags.url === undefined ? undefined : await readPathToken(flags.pathTokenFile, io);
    const render = (): JsonObject => {
      if (flags.url !== undefined) return urlPatch(config, { url: flags.url, token, caBundle }, apiVersion);
      const { serviceName: name, serviceNamespace: namespace, path, planHash } = flags;
      if (name === undefined || namespace === undefined || caBundle === undefined) {
        throw new AppError('BAD_REQUEST', '--service-name needs --service-namespace and --ca-bundle');
      }
      checkPath(path);
      const port = parsePort(flags.port);
      return servicePatch(config, { name, namespace, path, port, caBundle, planHash }, apiVersion);
    };
    await printDocuments(io, flags.output, [render()]);
    return EXIT.ok;
  },
});

async function readBundle(given: string, io: Io): Promise<string> {
  const { base64, holdsCertificates } = await readCaBundle(given, io);
  if (!holdsCertificates) io.err('note: --ca-bundle holds no PEM certificates: an apiserver refuses it\n');
  return base64;
}

function checkPath(path: string | undefined): void {
  if (path === undefined || path.startsWith('/')) return;
  throw new AppError('BAD_REQUEST', `--path ${path} must begin with /`);
}

function parsePort(text = '443'): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port < 65536) return port;
  throw new AppError('BAD_REQUEST', `--port ${text} is no port: it is a number from 1 to 65535`);
}
