import type { Code, ReleaseSettings } from '../model.ts';

/** What runs apps: AWS Lambda. Every method takes the name of the app; the driver knows what its function is called. */
export interface Runtime {
  /** `$LATEST` of the app's function; undefined when there is no function. */
  find(app: string): Promise<FunctionState | undefined>;
  create(app: string, input: FunctionInput): Promise<FunctionState>;
  /** Starts an asynchronous update of the code; conflicts while another one runs. */
  updateCode(app: string, code: Code, options: CodeUpdate): Promise<FunctionState>;
  updateSettings(app: string, input: Omit<FunctionInput, 'code'>, revisionId?: string): Promise<FunctionState>;
  /** Lambda gives back the last version when nothing changed since it was published. */
  publish(app: string, input: { readonly description: string; readonly revisionId?: string }): Promise<VersionState>;
  findVersion(app: string, version: string): Promise<VersionState | undefined>;
  /** All published versions, lowest first. Lambda's list has no states: one that it does not tell is `Pending`. */
  versions(app: string): Promise<readonly VersionState[]>;
  removeVersion(app: string, version: string): Promise<void>;
  /** The alias `live`. */
  findAlias(app: string): Promise<AliasState | undefined>;
  /** Makes the alias when `revisionId` is absent, else moves it if it still has that revision. */
  setAlias(app: string, version: string, revisionId?: string): Promise<AliasState>;
  /** URL of the alias with both invoke permissions; makes what is missing, twice is as once. */
  ensureUrl(app: string): Promise<string>;
  findUrl(app: string): Promise<UrlState | undefined>;
  /** Reserved concurrency of the function; undefined removes the setting. */
  setConcurrency(app: string, reserved: number | undefined): Promise<void>;
  /** One synchronous call of a version, without retries of the SDK. */
  invoke(app: string, version: string, event: object, timeoutMs: number): Promise<Invocation>;
  /** The function with versions, alias and URL; no error when it is gone. */
  remove(app: string): Promise<void>;
  /** All functions of this stage, by app. Eventually consistent; one call for 50 functions. */
  list(): Promise<readonly FunctionSummary[]>;
  account(): Promise<AccountState>;
}

export interface FunctionInput {
  readonly code: Code;
  readonly settings: ReleaseSettings;
  /** Variables on top of the settings' own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly roleArn: string;
  readonly logGroup: string;
  readonly layers: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

export interface CodeUpdate {
  readonly architecture: ReleaseSettings['architecture'];
  readonly revisionId?: string;
}

interface VersionFacts {
  readonly arn: string;
  readonly state: 'Pending' | 'Active' | 'Inactive' | 'Failed';
  /** Lambda's reason for `Failed`, `Inactive` or `Pending`. */
  readonly stateReason?: string;
  readonly stateReasonCode?: string;
  readonly codeSha256: string;
}

export interface FunctionState extends VersionFacts {
  readonly lastUpdateStatus: 'Successful' | 'InProgress' | 'Failed';
  readonly lastUpdateReason?: string;
  readonly lastUpdateReasonCode?: string;
  readonly revisionId: string;
  readonly packageType: 'Zip' | 'Image';
  /** Changes only with the code. */
  readonly architecture: ReleaseSettings['architecture'];
  /** Undefined: none is reserved. Only `find` knows it: the answers of changes do not tell it. */
  readonly reservedConcurrency?: number;
}

export interface VersionState extends VersionFacts {
  readonly version: string;
  readonly description: string;
}

export interface AliasState {
  readonly version: string;
  readonly revisionId: string;
}

export interface UrlState {
  readonly url: string;
  /** Both are needed since October 2025 (R12). */
  readonly permissions: { readonly invokeFunctionUrl: boolean; readonly invokeFunction: boolean };
}

export interface Invocation {
  /** `Unhandled` when the function threw, ended or ran out of time. */
  readonly functionError?: string;
  readonly payload: string;
  /** Last 4 KB of the log of this call. */
  readonly logTail: string;
}

export interface FunctionSummary {
  readonly app: string;
  readonly arn: string;
  readonly codeSha256: string;
  readonly lastModified: string;
}

export interface AccountState {
  readonly codeBytes: number;
  readonly codeBytesLimit: number;
  readonly functions: number;
  readonly concurrency: number;
  readonly unreservedConcurrency: number;
}

/** What kind of refusal an AWS call met; the worker decides by it. */
export type RuntimeErrorCode =
  /** Another update runs (ResourceConflictException). Wait, then again. */
  | 'conflict'
  | 'throttled'
  | 'not_found'
  /** The revision id is not the present one. */
  | 'precondition'
  /** A role that was just made cannot be assumed yet. */
  | 'role_not_ready'
  | 'image_unreadable'
  | 'code_missing'
  | 'code_storage_full'
  | 'concurrency_exhausted'
  | 'permission_denied'
  | 'env_too_large'
  /** Lambda refuses code or settings. */
  | 'invalid'
  /** No answer, a 5xx, or an answer that nobody understands. */
  | 'unavailable';

/** A call of AWS that did not succeed. The message is AWS's own, cut, for people. */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
  }
}
