/** How long one attempt may wait for its answer to begin, and then for each part of it, in milliseconds. */
const ATTEMPT_MS = 3_000;

/**
 * The `requestHandler` of every client of the AWS SDK, which by itself waits for ever: for a connection, for an answer to
 * begin, and in the middle of one.
 *
 * A call that hangs must not outlive the request that waits for it. The three attempts of a read of the table take 9 s,
 * the two of the secret 6 s: under the 10 s of a review, and together under the 29 s of `api`.
 */
export function requestTimeouts(attemptMs = ATTEMPT_MS) {
  return {
    connectionTimeout: 1_000,
    requestTimeout: attemptMs,
    // Without it the SDK only prints a warning when that time is over, and waits on.
    throwOnRequestTimeout: true,
    // Ends an answer that stops in the middle, which the others do not see.
    socketTimeout: attemptMs,
  };
}
