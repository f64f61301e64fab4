import { PATH_TOKEN_FLAG } from '../authoring/patch/endpoint-url.ts';
import { CLUSTER_FLAGS, openCluster } from '../cluster/client.ts';
import { parseMilliseconds } from '../cluster/milliseconds.ts';
import { renderWire } from '../cluster/render-wire.ts';
import { exitOf, revertDefinition, wireDefinition } from '../cluster/run-wire.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../output/json.ts';
import { contextNames } from '../remote/contexts.ts';

export const wire = defineCommand({
  name: 'wire',
  group: 'Cluster',
  summary: 'point the CRD or XRD in a cluster at a webhook, once all is well',
  description:
    'Checks first that the CRD is established, that the config has no errors and a plan for every version that is ' +
    'served or stored, that the cluster has the schema that was analysed, and that the webhook converts an object of ' +
    'each CRD to every such version and back; then applies spec.conversion server-side, as the field manager roundhouse. Without --url the ' +
    'address and the config come from Roundhouse.',
  flags: {
    xrd: { short: 'x', value: 'NAME', summary: 'the CompositeResourceDefinition, by its name in the cluster' },
    crd: { value: 'NAME', summary: 'the CustomResourceDefinition, by its name in the cluster' },
    ...CLUSTER_FLAGS,
    url: {
      value: 'URL',
      summary: 'the webhook instead of asking Roundhouse: https://HOST/convert/ENDPOINT with a path token, or another',
    },
    caBundle: { value: 'FILE', needs: 'url', summary: 'with --url: the CA of the webhook, if it is not a public one' },
    server: { value: 'URL', summary: 'the address of Roundhouse (else ROUNDHOUSE_URL, else its context)' },
    tokenFile: { value: 'FILE', summary: 'its bearer token (else ROUNDHOUSE_TOKEN, else its context)' },
    caFile: { value: 'FILE', summary: 'the CA of Roundhouse, PEM (else ROUNDHOUSE_CA_FILE, else its context)' },
    roundhouseContext: {
      value: 'NAME',
      summary: 'a context that login made; else the current one',
      complete: contextNames,
    },
    endpoint: { value: 'NAME', summary: "an endpoint of Roundhouse; else the config's own, or the default one" },
    pathTokenFile: PATH_TOKEN_FLAG,
    config: { short: 'c', value: 'FILE', summary: 'check this config instead of the one in Roundhouse' },
    schema: { value: 'FILE', needs: 'config', summary: 'what that was analysed with; else what the cluster has' },
    skipCheck: {
      value: 'CHECK',
      repeat: true,
      summary: 'do without it: established, config, versions, schema, webhook',
    },
    dryRun: { summary: 'check all, let the apiserver check the patch, and change nothing' },
    forceConflicts: { summary: 'take the fields over from another tool that has them' },
    revert: { summary: 'take the webhook away: strategy None' },
    force: { needs: 'revert', summary: 'with --revert: also while more than one version is served or stored' },
    wait: { value: 'DURATION', default: '60s', summary: 'how long Crossplane may take to pass it on to the CRDs' },
    output: { short: 'o', value: 'FORMAT', default: 'table', choices: ['table', 'json'], summary: 'how to print' },
  },
  oneOf: [{ flags: ['xrd', 'crd'], required: true }, { flags: ['url', 'server'] }, { flags: ['url', 'revert'] }],
  examples: [
    { what: 'From Roundhouse', command: 'wire --crd widgets.example.org --path-token-file token' },
    {
      what: 'With a URL, and no Roundhouse at hand',
      command:
        'wire --crd widgets.example.org --url https://hooks.example.org/convert/main --path-token-file token -c config.yaml --dry-run',
    },
    { what: 'Back to no webhook', command: 'wire --crd widgets.example.org --revert' },
  ],
  async run({ flags }, io) {
    const { xrd, crd } = flags;
    const of = xrd === undefined ? { source: 'CRD' as const, name: crd ?? '' } : { source: 'XRD' as const, name: xrd };
    const deps = {
      io,
      waitMs: parseMilliseconds(flags.wait, '--wait'),
      timeoutMs: parseMilliseconds(flags.requestTimeout, '--request-timeout'),
    };
    const cluster = await openCluster(flags, io);
    const run = flags.revert ? revertDefinition : wireDefinition;
    const report = await run(cluster, of, flags, deps);
    if (flags.output === 'json') printJson(io, report);
    else renderWire(report, io);
    return exitOf(report);
  },
});
