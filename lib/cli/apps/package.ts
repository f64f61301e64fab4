import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { counted } from '../output/counted.ts';
import { printable } from '../output/printable.ts';
import { startProgress } from '../output/progress.ts';
import type { Apps } from './api.ts';
import { tellWarnings } from './common.ts';
import { listPackage, megabytes } from './pack/walk.ts';
import { zipFiles } from './pack/zip.ts';
import { readAppFile } from './settings.ts';
import { upload } from './upload.ts';

/** The file of a package that says what its app should be. */
const APP_FILE = 'app.json';

/** @throws AppError unless there is a folder or an image, and not both */
export function requireOneSource(
  dir: string | undefined,
  image: string | undefined,
): { readonly dir: string; readonly image?: never } | { readonly image: string } {
  if (dir !== undefined && image === undefined) return { dir };
  if (image !== undefined && dir === undefined) return { image };
  const fault = image === undefined ? 'What is to be deployed? Name' : 'Only one can be deployed: name';
  throw new AppError('BAD_REQUEST', `${fault} a folder, or an image with --image`);
}

/**
 * Packs a folder and uploads it. Everything that can be found wrong here is found before the server has anything.
 * @returns what a deploy calls it
 */
export async function preparePackage(
  apps: Apps,
  name: string,
  dir: string,
  { create }: { readonly create: boolean },
  io: Io,
): Promise<string> {
  const folder = resolve(io.cwd, dir);
  const files = await listPackage(folder, dir);
  await requireApp(apps, name, folder, dir, create, io);
  const progress = startProgress(io);
  try {
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const zip = await zipFiles(files, (done) => progress.show(`packing: ${ratio(done, total)}`));
    const artifact = await apps.createArtifact(name);
    await upload(artifact, zip, apps.options, io, (sent) => progress.show(`uploading: ${ratio(sent, zip.length)}`));
    progress.end();
    io.err(
      `${printable(`packed ${dir}: ${counted(files.length, 'file')}, ${size(total)}, as zip ${size(zip.length)}`)}\n`,
    );
    return artifact.image ?? `artifact:${artifact.id}`;
  } finally {
    progress.end();
  }
}

async function requireApp(
  apps: Apps,
  name: string,
  folder: string,
  dir: string,
  create: boolean,
  io: Io,
): Promise<void> {
  try {
    await apps.get(name);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Who may deploy need not be one who may read; the upload says what is wrong.
    if (error.code === 'FORBIDDEN' && !create) return;
    if (error.code !== 'NOT_FOUND') throw error;
    if (!create)
      throw new AppError('NOT_FOUND', `there is no app ${name}. Give --create to make it`, {}, { cause: error });
    const file = join(folder, APP_FILE);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    const given = isThere ? await readAppFile(file, io) : {};
    tellWarnings(await apps.create({ ...given, name, image: `${name}:pending` }), io);
    io.err(`${printable(`${name}: made${isThere ? `, as ${join(dir, APP_FILE)} has it` : ''}`)}\n`);
  }
}

function ratio(done: number, total: number): string {
  return `${megabytes(done)} of ${megabytes(total)}`;
}

function size(bytes: number): string {
  return bytes < 100 * 1024 ? `${(bytes / 1024).toFixed(1)} kB` : megabytes(bytes);
}
