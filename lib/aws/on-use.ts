/**
 * What a cold start need not load, because few calls use it: made by the first call and kept. Calls that come meanwhile
 * wait for the same one; when it fails they all do, and the next call tries again.
 *
 * A client of the AWS SDK goes here with the adapter around it, as `import('./artifacts-on-s3.ts')`. That file imports the
 * commands by name, so its chunk has nothing else: a package that is imported by itself comes with every command, which
 * of Systems Manager is 165 KiB instead of 80.
 */
export function onUse<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
