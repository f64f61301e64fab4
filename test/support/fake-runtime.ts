import { createHash } from 'node:crypto';
import {
  type FunctionInput,
  type FunctionState,
  type Invocation,
  type Runtime,
  RuntimeError,
  type RuntimeErrorCode,
} from '../../lib/apps/runtime/runtime.ts';

type Content = Omit<FunctionInput, 'tags'>;

interface FakeVersion {
  readonly version: string;
  readonly description: string;
  readonly content: Content;
  state: 'Pending' | 'Active' | 'Inactive' | 'Failed';
}

export interface FakeFunction {
  content: Content;
  tags: FunctionInput['tags'];
  /** Updates of code or settings so far: what Lambda's dedupe of versions looks at. */
  edits: number;
  revision: number;
  /** Looks that still see the last update unfinished, and what comes of it. */
  looks: number;
  conflicts: number;
  failed?: { readonly reason: string; readonly code: string } | undefined;
  versions: FakeVersion[];
  published: { readonly version: string; readonly edits: number } | undefined;
  nextVersion: number;
  alias: { version: string; revision: number } | undefined;
  url: boolean;
  reserved: number | undefined;
}

export interface FakeRuntime extends Runtime {
  /** Every call that came, as `updateCode shop`, refused ones included. */
  readonly calls: string[];
  readonly functions: Map<string, FakeFunction>;
  /** The next call of that name meets it. */
  refuse(
    method: keyof Runtime,
    code: RuntimeErrorCode,
    options?: { times?: number; message?: string; lost?: boolean },
  ): void;
  /** Runs before every call. */
  before: (method: keyof Runtime, app: string) => Promise<void> | void;
  /** What a version answers at the gate; 200 unless a test says otherwise. */
  answer: (input: {
    readonly app: string;
    readonly version: string;
    readonly content: Content;
    readonly event: any;
  }) => Invocation | RuntimeError;
  /** Each update is seen unfinished by so many looks. */
  looks: number;
  /** After an update so many updates more are refused as conflict. */
  conflicts: number;
  /** The next update ends so. */
  failNext: { readonly reason: string; readonly code: string } | undefined;
  /** What the account has left for reservations. */
  pool: number;
  /** State of versions when they are published. */
  versionState: FakeVersion['state'];
}

const ok = (status = 200, body = 'ok'): Invocation => ({
  payload: JSON.stringify({ statusCode: status, body }),
  logTail: '',
});

export const answers = {
  status: ok,
  crash: (message = 'no such module', type = 'Runtime.ImportModuleError', logTail = ''): Invocation => ({
    functionError: 'Unhandled',
    payload: JSON.stringify({ errorType: type, errorMessage: message }),
    logTail,
  }),
};

/** Lambda in memory: asynchronous updates, conflicts, revision ids, dedupe of versions, aliases, reservations. */
export function createFakeRuntime(): FakeRuntime {
  const functions = new Map<string, FakeFunction>();
  const refusals: { method: string; code: RuntimeErrorCode; message: string; lost: boolean }[] = [];
  const fake: FakeRuntime = {
    ...createMethods(() => fake, functions),
    calls: [],
    functions,
    refuse: (method, code, { times = 1, message = `AWS says ${code}`, lost = false } = {}) => {
      for (let count = 0; count < times; count += 1) refusals.push({ method, code, message, lost });
    },
    before: () => {},
    answer: () => ok(),
    looks: 0,
    conflicts: 0,
    failNext: undefined,
    pool: 1_000,
    versionState: 'Active',
  };
  for (const [method, call] of Object.entries(createMethods(() => fake, functions))) {
    Object.assign(fake, {
      [method]: async (app: string, ...rest: unknown[]) => {
        fake.calls.push(app === undefined ? method : `${method} ${app}`);
        await fake.before(method as keyof Runtime, app);
        const index = refusals.findIndex((refusal) => refusal.method === method);
        const [refusal] = index < 0 ? [] : refusals.splice(index, 1);
        if (refusal?.lost === false) throw new RuntimeError(refusal.code, refusal.message);
        const result = structuredClone(await (call as any)(app, ...rest));
        if (refusal !== undefined) throw new RuntimeError(refusal.code, refusal.message);
        return result;
      },
    });
  }
  return fake;
}

function shaOf(code: FunctionInput['code']): string {
  if (code.kind === 'image') return code.digest.replace('sha256:', '');
  return createHash('sha256').update(`${code.artifact}@${code.versionId}`).digest('base64');
}

function createMethods(fake: () => FakeRuntime, functions: Map<string, FakeFunction>): Runtime {
  const need = (app: string): FakeFunction => {
    const found = functions.get(app);
    if (found === undefined) throw new RuntimeError('not_found', `Function not found: ${app}`);
    return found;
  };
  const stateOf = (app: string, fn: FakeFunction): FunctionState => ({
    arn: `arn:aws:lambda:us-east-1:000000000000:function:roundhouse_test_${app}`,
    state: 'Active',
    codeSha256: shaOf(fn.content.code),
    lastUpdateStatus: fn.looks > 0 ? 'InProgress' : fn.failed ? 'Failed' : 'Successful',
    ...(fn.looks === 0 && fn.failed && { lastUpdateReason: fn.failed.reason, lastUpdateReasonCode: fn.failed.code }),
    revisionId: `r${fn.revision}`,
    packageType: fn.content.code.kind === 'image' ? 'Image' : 'Zip',
    architecture: fn.content.settings.architecture,
    ...(fn.reserved !== undefined && { reservedConcurrency: fn.reserved }),
  });
  const versionOf = (app: string, { version, description, content, state }: FakeVersion) => ({
    arn: `arn:aws:lambda:us-east-1:000000000000:function:roundhouse_test_${app}:${version}`,
    version,
    description,
    state,
    codeSha256: shaOf(content.code),
  });
  const edit = (app: string, revisionId: string | undefined, change: Partial<Content>): FunctionState => {
    const fn = need(app);
    if (fn.looks > 0 || fn.conflicts > 0) {
      fn.conflicts = Math.max(0, fn.conflicts - 1);
      throw new RuntimeError('conflict', 'The operation cannot be performed at this time. An update is in progress.');
    }
    if (revisionId !== undefined && revisionId !== `r${fn.revision}`)
      throw new RuntimeError('precondition', 'revision');
    fn.content = { ...fn.content, ...change };
    fn.edits += 1;
    fn.revision += 1;
    begin(fn);
    return stateOf(app, fn);
  };
  const begin = (fn: FakeFunction): void => {
    fn.looks = fake().looks;
    fn.conflicts = fake().conflicts;
    fn.failed = fake().failNext;
    fake().failNext = undefined;
  };
  const methods: Runtime = {
    async find(app) {
      const fn = functions.get(app);
      if (fn === undefined) return undefined;
      const state = stateOf(app, fn);
      if (fn.looks > 0) {
        fn.looks -= 1;
        // The end of an update changes the revision, as Lambda's does.
        if (fn.looks === 0) fn.revision += 1;
      }
      return state;
    },
    async create(app, { tags, ...content }) {
      if (functions.has(app)) throw new RuntimeError('conflict', `Function already exist: ${app}`);
      const fn: FakeFunction = {
        content,
        tags,
        edits: 1,
        revision: 1,
        looks: 0,
        conflicts: 0,
        versions: [],
        published: undefined,
        nextVersion: 1,
        alias: undefined,
        url: false,
        reserved: undefined,
      };
      begin(fn);
      functions.set(app, fn);
      return stateOf(app, fn);
    },
    // As Lambda has it: the architecture comes with the code, and settings leave it as it is.
    updateCode: async (app, code, { revisionId, architecture }) =>
      edit(app, revisionId, { code, settings: { ...need(app).content.settings, architecture } }),
    updateSettings: async (app, { tags, settings, ...input }, revisionId) => {
      const { architecture } = need(app).content.settings;
      return edit(app, revisionId, { ...input, settings: { ...settings, architecture } });
    },
    async publish(app, { description, revisionId }) {
      const fn = need(app);
      if (fn.looks > 0) throw new RuntimeError('conflict', 'An update is in progress.');
      if (revisionId !== undefined && revisionId !== `r${fn.revision}`)
        throw new RuntimeError('precondition', 'revision');
      const same = fn.versions.find(({ version }) => version === fn.published?.version);
      if (same !== undefined && fn.published?.edits === fn.edits) return versionOf(app, same);
      const version = { version: `${fn.nextVersion}`, description, content: fn.content, state: fake().versionState };
      fn.nextVersion += 1;
      fn.versions.push(version);
      fn.published = { version: version.version, edits: fn.edits };
      return versionOf(app, version);
    },
    async findVersion(app, version) {
      const found = functions.get(app)?.versions.find((entry) => entry.version === version);
      if (found === undefined) return undefined;
      const state = versionOf(app, found);
      if (found.state === 'Pending') found.state = 'Active';
      return state;
    },
    versions: async (app) => need(app).versions.map((version) => versionOf(app, version)),
    async removeVersion(app, version) {
      const fn = need(app);
      if (fn.alias?.version === version) throw new RuntimeError('conflict', `version ${version} has an alias`);
      fn.versions = fn.versions.filter((entry) => entry.version !== version);
    },
    async findAlias(app) {
      const alias = functions.get(app)?.alias;
      return alias && { version: alias.version, revisionId: `a${alias.revision}` };
    },
    async setAlias(app, version, revisionId) {
      const fn = need(app);
      if (!fn.versions.some((entry) => entry.version === version))
        throw new RuntimeError('not_found', `no version ${version}`);
      if (fn.alias !== undefined && revisionId === undefined)
        throw new RuntimeError('conflict', 'Alias already exists');
      if (fn.alias !== undefined && revisionId !== `a${fn.alias.revision}`)
        throw new RuntimeError('precondition', 'alias revision');
      if (fn.alias === undefined && revisionId !== undefined) throw new RuntimeError('not_found', 'no alias');
      fn.alias = { version, revision: (fn.alias?.revision ?? 0) + 1 };
      return { version, revisionId: `a${fn.alias.revision}` };
    },
    async ensureUrl(app) {
      const fn = need(app);
      if (fn.alias === undefined) throw new RuntimeError('not_found', 'no alias');
      fn.url = true;
      return `https://${app}.lambda-url.test/`;
    },
    async findUrl(app) {
      if (!functions.get(app)?.url) return undefined;
      const permissions = { invokeFunctionUrl: true, invokeFunction: true };
      return { url: `https://${app}.lambda-url.test/`, permissions };
    },
    async setConcurrency(app, reserved) {
      const fn = need(app);
      if (reserved !== undefined && reserved > fake().pool) {
        throw new RuntimeError(
          'concurrency_exhausted',
          'UnreservedConcurrentExecution below its minimum value of [100].',
        );
      }
      fn.reserved = reserved;
    },
    async invoke(app, version, event) {
      const fn = need(app);
      if (fn.reserved === 0) throw new RuntimeError('concurrency_exhausted', 'Rate Exceeded.');
      const found = fn.versions.find((entry) => entry.version === version);
      if (found === undefined) throw new RuntimeError('not_found', `no version ${version}`);
      if (found.state === 'Inactive') {
        found.state = 'Pending';
        throw new RuntimeError('conflict', 'the function is inactive');
      }
      const answer = fake().answer({ app, version, content: found.content, event });
      if (answer instanceof RuntimeError) throw answer;
      return answer;
    },
    async remove(app) {
      functions.delete(app);
    },
    list: async () =>
      [...functions].map(([app, fn]) => {
        const { arn, codeSha256 } = stateOf(app, fn);
        return { app, arn, codeSha256, lastModified: `${fn.edits}` };
      }),
    account: async () => ({
      codeBytes: 0,
      codeBytesLimit: 1,
      functions: functions.size,
      concurrency: 1_000,
      unreservedConcurrency: 1_000,
    }),
  };
  return methods;
}
