import type { Finding } from '../../configs/inspect.ts';
import type { PutResult } from '../../configs/types.ts';
import { AppError } from '../../errors.ts';
import type { Given } from '../input/conversion.ts';
import { readBefore } from './guard.ts';
import type { Roundhouse } from './roundhouse.ts';
import { locate, shipmentOf } from './shipment.ts';

interface PushOptions {
  readonly dryRun: boolean;
  readonly expectRevision?: string | undefined;
}

/** What became of a config that was sent, or could not be. */
export interface Pushed {
  /** Absent when not even that could be read. */
  readonly target?: string;
  /** With their places in the files here. */
  readonly findings: readonly Finding[];
  /** How many findings the server left out. */
  readonly moreFindings: number;
  /** Absent when the config was refused. */
  readonly result?: PutResult;
  /** The active revision before; absent when there was none, or the token may not read. */
  readonly revisionBefore?: number;
}

/**
 * Makes a config and its schema the active revision, or under `dryRun` only asks what would come of it. The server
 * judges; what cannot be read here is not sent.
 * @param open made on use: without something to send nobody has to be logged in
 */
export async function push(open: () => Promise<Roundhouse>, given: Given, options: PushOptions): Promise<Pushed> {
  const target = given.config?.target;
  const shipment = shipmentOf(given);
  if (target === undefined || shipment === undefined) return { findings: given.findings, moreFindings: 0 };
  const roundhouse = await open();
  const { dryRun, expectRevision } = options;
  const before = await readBefore(roundhouse, target, expectRevision);
  const facts = { target, ...(before && { revisionBefore: before.revision }) };
  try {
    const result = await roundhouse.putConfig(target, shipment, { dryRun, ifMatch: before?.etag });
    const findings = locate(result.diagnostics, given.findings);
    return { ...facts, findings, moreFindings: result.moreFindings ?? 0, result };
  } catch (error) {
    const found = error instanceof AppError ? error.details.diagnostics : undefined;
    if (found === undefined) throw error;
    return { ...facts, findings: locate(found, given.findings), moreFindings: 0 };
  }
}
