/** An image of ECR, by a tag or by its digest; with both, the digest counts. */
export interface EcrImage {
  readonly account: string;
  readonly region: string;
  readonly repository: string;
  readonly tag?: string;
  /** `sha256:` and 64 hex digits. */
  readonly digest?: string;
}

const FORM =
  /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** `<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>` or `@sha256:…`; undefined for any other text. */
export function parseEcrImage(image: string): EcrImage | undefined {
  const [whole, account = '', region = '', repository = '', tag, digest] = FORM.exec(image) ?? [];
  if (whole === undefined || (tag === undefined && digest === undefined)) return undefined;
  return { account, region, repository, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
}
