/** Does something with each item, with so many at a time. Rejects with the first failure. */
export async function inParallel<T>(
  items: readonly T[],
  parallel: number,
  task: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) await task(item);
  };
  await Promise.all(Array.from({ length: parallel }, work));
}
