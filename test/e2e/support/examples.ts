import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '../../../lib/k8s/yaml.ts';
import type { Target } from './roundhouse.ts';

const ROOT = join(import.meta.dirname, '../../../examples');

/** A CRD of `examples/`, with its config and its objects, by version. */
export function loadExample(name: string): Target & { readonly objects: Readonly<Record<string, any>> } {
  const read = (file: string): any => parseYaml(readFileSync(join(ROOT, name, file), 'utf8'))[0]?.value;
  const objects = readdirSync(join(ROOT, name)).filter((file) => file.startsWith('object-'));
  return {
    crd: read('crd.yaml'),
    config: read('config.yaml'),
    objects: Object.fromEntries(objects.map(read).map((object) => [object.apiVersion.split('/')[1], object])),
  };
}
