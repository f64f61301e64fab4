/** Wall clock, passed in so that tests own the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}
