import type { Cors, FunctionConfiguration, FunctionUrlAuthType, InvokeMode } from '@aws-sdk/client-lambda';

/** Everything below is plain JSON: a function is kept as one file. Times are milliseconds since the epoch. */

/** `code` is the name in the code store of a zip package; an image has its URI and cannot run here. */
export type CodeRef =
  | { readonly kind: 'zip'; readonly code: string }
  | { readonly kind: 'image'; readonly uri: string; readonly resolvedUri: string };

/** What a version is made of. */
export interface Build {
  readonly config: FunctionConfiguration;
  readonly code: CodeRef;
  /** Changes with every update; sandboxes of another build are not used. */
  readonly buildId: string;
}

/** A creation or an update that Lambda works on after its answer. It is finished by whoever looks when its time has come. */
export interface Pending {
  readonly until: number;
  /** How many more looks (GetFunction, GetFunctionConfiguration) find it unfinished. */
  looks: number;
  /** Unfinished till it is released. */
  held: boolean;
  /** It ends as Failed. */
  readonly failure?: { readonly code: string; readonly reason: string };
  /** What runs meanwhile, and after a failure; absent for a creation. */
  readonly previous?: Build;
}

export interface VersionRecord extends Build {
  config: FunctionConfiguration;
  code: CodeRef;
  buildId: string;
  pending?: Pending;
}

export interface AliasRecord {
  readonly name: string;
  version: string;
  description: string;
  revisionId: string;
}

/** A statement of a resource policy, as GetPolicy shows it. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Principal: string | { readonly Service: string } | { readonly AWS: string };
  readonly Action: string;
  readonly Resource: string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface UrlRecord {
  readonly authType: FunctionUrlAuthType;
  readonly createdAt: number;
  readonly invokeMode: InvokeMode;
  readonly cors?: Cors;
  /** Where it listens; kept over a restart when it is still free. */
  port: number;
}

export interface FunctionRecord {
  readonly name: string;
  readonly latest: VersionRecord;
  /** Published ones, by number. */
  readonly versions: Record<string, VersionRecord>;
  nextVersion: number;
  /** Nothing was updated since the version before `nextVersion` was published. */
  isPublished: boolean;
  readonly aliases: Record<string, AliasRecord>;
  /** By qualifier; those of the function itself under `$LATEST`. */
  readonly policies: Record<string, Statement[]>;
  /** By qualifier, as policies are. */
  readonly urls: Record<string, UrlRecord>;
  reserved?: number;
  readonly tags: Record<string, string>;
}

export const LATEST = '$LATEST';

/** Builds that a call may still run. */
export function buildsOf({ latest, versions }: FunctionRecord): ReadonlySet<string> {
  const all = [latest, ...Object.values(versions)];
  return new Set(all.flatMap(({ buildId, pending }) => [buildId, pending?.previous?.buildId ?? buildId]));
}

/** Packages in the code store that functions still need. */
export function codesOf(functions: Iterable<FunctionRecord>): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const { latest, versions } of functions) {
    for (const { code, pending } of [latest, ...Object.values(versions)]) {
      for (const ref of [code, pending?.previous?.code]) if (ref?.kind === 'zip') codes.add(ref.code);
    }
  }
  return codes;
}
