import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import type { FunctionState, VersionState } from './runtime.ts';

const STATES: Readonly<Record<string, FunctionState['state']>> = {
  Pending: 'Pending',
  Active: 'Active',
  Failed: 'Failed',
};

/** @param reserved its reserved concurrency, where the answer told it */
export function readFunction(configuration: FunctionConfiguration, reserved?: number): FunctionState {
  const {
    LastUpdateStatus,
    LastUpdateStatusReason: lastUpdateReason,
    LastUpdateStatusReasonCode: lastUpdateReasonCode,
  } = configuration;
  return {
    ...readFacts(configuration),
    lastUpdateStatus: LastUpdateStatus ?? 'Successful',
    ...(lastUpdateReason !== undefined && { lastUpdateReason }),
    ...(lastUpdateReasonCode !== undefined && { lastUpdateReasonCode }),
    revisionId: configuration.RevisionId ?? '',
    packageType: configuration.PackageType ?? 'Zip',
    // Lambda's own default, for an answer without it.
    architecture: configuration.Architectures?.[0] ?? 'x86_64',
    ...(reserved !== undefined && { reservedConcurrency: reserved }),
  };
}

export function readVersion(configuration: FunctionConfiguration): VersionState {
  const { Version: version = '', Description: description = '' } = configuration;
  return { ...readFacts(configuration), version, description };
}

/** Lists have no state: those versions are `Pending`, so that nobody sends traffic to one without a look at it. */
function readFacts({ FunctionArn, State, StateReason, StateReasonCode, CodeSha256 }: FunctionConfiguration) {
  return {
    arn: FunctionArn ?? '',
    // Those that are not in the table (`Inactive`, `Deactivating`, …) have in common that an invocation wakes them or fails.
    state: State === undefined ? 'Pending' : (STATES[State] ?? 'Inactive'),
    ...(StateReason && { stateReason: StateReason }),
    ...(StateReasonCode && { stateReasonCode: StateReasonCode }),
    codeSha256: CodeSha256 ?? '',
  } as const;
}
