import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createDynamoStore } from '../../../lib/store/dynamo.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-database-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function withStore<T>(
  database: EmbeddedDatabase,
  use: (store: ReturnType<typeof createDynamoStore>) => Promise<T>,
) {
  const store = createDynamoStore({ tableName: database.tableName, client: database.client, clock: Date });
  try {
    return await use(store);
  } finally {
    store.close();
  }
}

describe('the embedded database', () => {
  test('forgets everything without a folder', async () => {
    const first = await startEmbeddedDatabase();
    await withStore(first, (store) => store.put({ pk: 'a', sk: 'b' }));
    await first.close();
    const second = await startEmbeddedDatabase();
    expect(await withStore(second, (store) => store.get({ pk: 'a', sk: 'b' }))).toBeUndefined();
    await second.close();
  });

  test('keeps its items in a folder, which it makes when it is not there', async () => {
    const dir = join(folder, 'deep', 'data');
    const first = await startEmbeddedDatabase({ dir });
    await withStore(first, (store) => store.put({ pk: 'a', sk: 'b', kept: true }));
    await first.close();
    const second = await startEmbeddedDatabase({ dir });
    expect(await withStore(second, (store) => store.get({ pk: 'a', sk: 'b' }))).toMatchObject({ kept: true });
    await second.close();
  });

  test('refuses a second instance on one folder, and leaves the first one working', async () => {
    const first = await startEmbeddedDatabase({ dir: folder });
    await expect(startEmbeddedDatabase({ dir: folder })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `The data folder ${folder} is in use by another instance. Stop the other instance, or use another folder.`,
    });
    await withStore(first, (store) => store.put({ pk: 'a', sk: 'b' }));
    await first.close();
  });

  test.each([
    { title: 'is a file', dirIn: () => join(folder, 'file'), reason: 'it is a file' },
    { title: 'lies below a file', dirIn: () => join(folder, 'file', 'data'), reason: 'it is a file' },
    { title: 'cannot be made', dirIn: () => '/proc/no/such', reason: 'ENOENT' },
  ])('refuses a folder that $title', async ({ dirIn, reason }) => {
    await writeFile(join(folder, 'file'), '');
    await expect(startEmbeddedDatabase({ dir: dirIn() })).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringContaining(reason),
    });
  });

  test.skipIf(process.getuid?.() === 0)(
    'refuses a folder that it may not write to (root may write everywhere)',
    async () => {
      await chmod(folder, 0o500);
      await expect(startEmbeddedDatabase({ dir: folder })).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
    },
  );

  test('releases everything when it is closed, also twice', async () => {
    const database = await startEmbeddedDatabase({ dir: folder });
    await Promise.all([database.close(), database.close()]);
    await expect(fetch(database.client.endpoint)).rejects.toThrow();
  });
});
