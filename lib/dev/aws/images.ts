import type { Images } from '../../apps/ports.ts';
import { RuntimeError } from '../../apps/runtime/runtime.ts';

/** In development there is no registry, and nothing that could run an image. */
export function createDevelopmentImages(): Images {
  return {
    async resolve(image) {
      const hint = 'Upload a zip package here, or deploy the image to a stack on AWS.';
      throw new RuntimeError(
        'image_unreadable',
        `The development server cannot run the image ${JSON.stringify(image.slice(0, 256))}. ${hint}`,
      );
    },
    exists: async () => false,
  };
}
