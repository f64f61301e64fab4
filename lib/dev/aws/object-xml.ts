import { AwsError } from './json-service.ts';
import type { ObjectVersion } from './object-store.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface VersionList {
  readonly bucket: string;
  readonly prefix: string;
  readonly page: readonly ObjectVersion[];
  /** There are more after this page. */
  readonly isCut: boolean;
  readonly isNewest: (version: ObjectVersion) => boolean;
}

export function renderVersions({ bucket, prefix, page, isCut, isNewest }: VersionList): string {
  const last = page.at(-1);
  const next = isCut && last ? tag('NextKeyMarker', last.key) + tag('NextVersionIdMarker', last.versionId) : '';
  const entries = page.map((version) => {
    const { key, versionId, at, bytes, etag, isMarker } = version;
    const shared =
      tag('Key', key) +
      tag('VersionId', versionId) +
      tag('IsLatest', String(isNewest(version))) +
      tag('LastModified', new Date(at).toISOString());
    if (isMarker) return `<DeleteMarker>${shared}</DeleteMarker>`;
    return `<Version>${shared}${tag('ETag', `"${etag}"`)}${tag('Size', String(bytes))}${tag('StorageClass', 'STANDARD')}</Version>`;
  });
  const facts = tag('Name', bucket) + tag('Prefix', prefix) + tag('IsTruncated', String(isCut)) + next;
  return `${HEAD}<ListVersionsResult ${NAMESPACE}>${facts}${entries.join('')}</ListVersionsResult>`;
}

interface Doomed {
  readonly key: string;
  readonly versionId?: string;
}

/** The body of DeleteObjects, as the SDKs write it: no comments, no CDATA. */
export function readDeletions(xml: string): { readonly quiet: boolean; readonly objects: readonly Doomed[] } {
  const objects = [...xml.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, entry = '']) => {
    const [key, versionId] = [read(entry, 'Key'), read(entry, 'VersionId')];
    if (key === undefined) throw new AwsError('MalformedXML', 'An object without a key is in the list.');
    return { key, ...(versionId !== undefined && { versionId }) };
  });
  return { quiet: read(xml, 'Quiet') === 'true', objects };
}

export function renderDeleted(objects: readonly Doomed[]): string {
  const entries = objects.map(
    ({ key, versionId }) =>
      `<Deleted>${tag('Key', key)}${versionId === undefined ? '' : tag('VersionId', versionId)}</Deleted>`,
  );
  return `${HEAD}<DeleteResult ${NAMESPACE}>${entries.join('')}</DeleteResult>`;
}

export function renderObjectError({ code, message }: AwsError): string {
  return `${HEAD}<Error>${tag('Code', code)}${tag('Message', message)}</Error>`;
}

function tag(name: string, text: string): string {
  return `<${name}>${text.replaceAll(/[&<>"']|[^\P{Cc}\t]/gu, (character) => `&#${character.codePointAt(0)};`)}</${name}>`;
}

function read(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text?.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? all;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
