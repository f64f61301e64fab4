import type { FailureCode } from '../failures.ts';

/** The attempt cannot succeed. `cause` is a sentence for people: what, where, why. */
export class AttemptFailed extends Error {
  readonly code: FailureCode;
  readonly excerpt: string | undefined;

  constructor(code: FailureCode, cause: string, excerpt?: string) {
    super(cause);
    this.name = 'AttemptFailed';
    this.code = code;
    this.excerpt = excerpt;
  }
}

/** Too little of the message's time is left; the step goes on in the next one. */
export class OutOfTime extends Error {
  constructor() {
    super('the rest is for the next message');
    this.name = 'OutOfTime';
  }
}

/** Another worker has the app now, or its item is gone: whatever this one wants to write is void. */
export class LeaseLost extends Error {
  constructor(app: string) {
    super(`the lease of ${app} is lost`);
    this.name = 'LeaseLost';
  }
}

/** The app has another attempt than the one whose step has just run. */
export class Replaced extends Error {
  constructor() {
    super('another attempt took the place of this one');
    this.name = 'Replaced';
  }
}

/** AWS or the network must have a while before the next try. */
export class Later extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Later';
  }
}
