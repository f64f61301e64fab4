import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A CRD of three versions and its config: v1 is plain, v3 needs RE2 and CEL. */
export const TARGET = 'kettles.kitchen.example.org';

const version = (name: string, storage: boolean, spec: object) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } },
});
const text = { type: 'string' };
const integer = { type: 'integer' };

export const SCHEMA = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: TARGET },
  spec: {
    group: 'kitchen.example.org',
    scope: 'Namespaced',
    names: { kind: 'Kettle', plural: 'kettles', singular: 'kettle' },
    versions: [
      version('v2', true, { title: text, size: { ...text, enum: ['S', 'M'] }, shape: text, cups: integer }),
      version('v1', false, { name: text, size: { ...text, enum: ['small', 'medium'] }, shape: text, cups: integer }),
      version('v3', false, {
        title: text,
        size: { ...text, enum: ['S', 'M'] },
        width: integer,
        height: integer,
        halfCups: integer,
      }),
    ],
  },
};

export const CONFIG = {
  apiVersion: 'terasky.com/v1alpha1',
  kind: 'CRDConversionConfig',
  metadata: { name: 'kettles', labels: { team: 'kitchen' } },
  spec: {
    targetCRD: { name: TARGET },
    hubVersion: 'v2',
    spokes: [
      {
        version: 'v1',
        rules: [
          { strategy: 'FieldRename', fieldRename: { hubPath: 'spec.title', spokePath: 'spec.name' } },
          {
            strategy: 'EnumRemap',
            enumRemap: {
              path: 'spec.size',
              mapping: [
                { hub: 'S', spoke: 'small' },
                { hub: 'M', spoke: 'medium' },
              ],
            },
          },
        ],
      },
      {
        version: 'v3',
        rules: [
          {
            strategy: 'ScalarToFields',
            scalarToFields: {
              hubPath: 'spec.shape',
              pattern: '^(?P<width>[0-9]+)x(?P<height>[0-9]+)$',
              spokeFields: { width: 'spec.width', height: 'spec.height' },
              joinTemplate: '{{.width}}x{{.height}}',
              losslessOverride: true,
            },
          },
          {
            strategy: 'CEL',
            acknowledgeLossy: true,
            cel: {
              hubPaths: ['spec.cups'],
              spokePaths: ['spec.halfCups'],
              hubToSpoke: '{"spec.halfCups": object.spec.cups * 2}',
              spokeToHub: '{"spec.cups": object.spec.halfCups / 2}',
            },
          },
        ],
      },
    ],
  },
};

const metadata = { name: 'whistler', namespace: 'home', uid: 'f1c0ffee-0000-4000-8000-000000000001' };
const kettle = (name: string, spec: object) => ({
  apiVersion: `kitchen.example.org/${name}`,
  kind: 'Kettle',
  metadata,
  spec,
});

/** The same kettle at each version. */
export const KETTLES = {
  v1: kettle('v1', { name: "Jo's whistler", size: 'small', shape: '10x20', cups: 3 }),
  v2: kettle('v2', { title: "Jo's whistler", size: 'S', shape: '10x20', cups: 3 }),
  v3: kettle('v3', { title: "Jo's whistler", size: 'S', width: 10, height: 20, halfCups: 6 }),
};

export function kettleReview(objects: readonly unknown[], to: string, uid = 'u-1') {
  const request = { uid, desiredAPIVersion: `kitchen.example.org/${to}`, objects };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
}

/** Writes the kettles as an example folder below `folder`; JSON is YAML too. */
export async function writeExample(folder: string, config: object = CONFIG): Promise<void> {
  const example = join(folder, 'kettles');
  await mkdir(example, { recursive: true });
  await writeFile(join(example, 'config.yaml'), JSON.stringify(config));
  await writeFile(join(example, 'crd.yaml'), JSON.stringify(SCHEMA));
  await writeFile(join(example, 'object.yaml'), JSON.stringify(KETTLES.v1));
}
