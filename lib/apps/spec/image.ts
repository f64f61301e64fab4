/** The account and the Region that apps run in. */
export interface Account {
  readonly id: string;
  readonly region: string;
}

export type ParsedImage =
  | { readonly kind: 'image'; readonly uri: string }
  | { readonly kind: 'zip'; readonly artifact: string }
  /** Code comes later. */
  | { readonly kind: 'pending' }
  /** Lambda cannot run it; `reason` continues a sentence that begins with the image. */
  | { readonly kind: 'foreign'; readonly reason: string }
  | { readonly kind: 'malformed'; readonly reason: string };

const MAX_LENGTH = 512;

/** `<account>.dkr.ecr.<region>.amazonaws.com[.cn]/<repository>` with `:<tag>`, `@sha256:<digest>` or both. */
const ECR =
  /^(?<account>\d{12})\.dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/(?<repository>[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?<tag>:[\w][\w.-]{0,127})?(?<digest>@sha256:[0-9a-f]{64})?$/;

const ARTIFACT = /^artifact:(?<id>[A-Za-z0-9_-]{1,64})$/;

/** Tells what an `image` means here, as `AppSpec.image` lists it. */
export function parseImage(image: string, { id, region }: Account): ParsedImage {
  if (image.length > MAX_LENGTH) return malformed(`is too long: ${image.length} characters, at most ${MAX_LENGTH}`);
  if (!/^[\x21-\x7e]+$/.test(image)) return malformed('has characters that no image reference has');
  if (image.endsWith(':pending')) return { kind: 'pending' };
  if (image.startsWith('artifact:')) {
    const artifact = ARTIFACT.exec(image)?.groups?.['id'];
    if (artifact !== undefined) return { kind: 'zip', artifact };
    return malformed('must be artifact: and the id that POST /apps/{name}/artifacts gave');
  }
  if (!/^\d{12}\.dkr\.ecr\./.test(image)) {
    return foreign(`is not in ECR, and Lambda runs images of ECR only. Push it to ${registry({ id, region })}`);
  }
  const ecr = ECR.exec(image)?.groups;
  if (ecr === undefined || (ecr['tag'] === undefined && ecr['digest'] === undefined)) {
    return malformed('must be <account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag> or …@sha256:<digest>');
  }
  if (ecr['account'] !== id || ecr['region'] !== region) {
    return foreign(`is in ECR of another account or Region. Push it to ${registry({ id, region })}`);
  }
  return { kind: 'image', uri: image };
}

function registry({ id, region }: Account): string {
  return `${id}.dkr.ecr.${region}.amazonaws.com, or upload a zip package`;
}

function foreign(reason: string): ParsedImage {
  return { kind: 'foreign', reason };
}

function malformed(reason: string): ParsedImage {
  return { kind: 'malformed', reason };
}
