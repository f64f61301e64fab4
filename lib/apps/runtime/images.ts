import { onUse } from '../../aws/on-use.ts';
import type { Images } from '../ports.ts';
import type { ImageOptions } from './images-on-ecr.ts';

/** Images in ECR, whose client is loaded on use. */
export function createImages(options: ImageOptions): Images {
  const ecr = onUse(async () => (await import('./images-on-ecr.ts')).createEcrImages(options));
  return {
    resolve: async (image) => (await ecr()).resolve(image),
    exists: async (code) => (await ecr()).exists(code),
  };
}
