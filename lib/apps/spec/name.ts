/** The name of an app is part of names in AWS: a function's has at most 64 characters, prefix included. */
export const APP_NAME = /^[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

export const NAME_RULE =
  'must be 1 to 32 lower-case letters, digits and hyphens, begin with a letter and not end with a hyphen';
