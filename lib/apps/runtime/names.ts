/*
 * What the parts of an app are called in the account. The permissions of our own functions and the boundary of the apps'
 * roles are written over these names, so a change here is a change of the stack too.
 */

export function functionName(stage: string, app: string): string {
  return `${functionPrefix(stage)}${app}`;
}

/** Names of apps have no `_`: what follows the prefix of one stage is never the name of an app of another. */
export function functionPrefix(stage: string): string {
  return `roundhouse_${stage}_`;
}

/** The role has the name of the function. */
export function rolePath(stage: string): string {
  return `/roundhouse/${stage}/`;
}

export function logGroupName(stage: string, app: string): string {
  return `/roundhouse/${stage}/${app}`;
}

/** Under which the parameters with an app's secrets are, without the last slash. */
export function parameterPath(stage: string, app: string): string {
  return `/roundhouse/${stage}/${app}`;
}

/** An object of the artifact bucket. */
export function artifactKey(app: string, artifact: string): string {
  return `apps/${app}/${artifact}.zip`;
}

export function appTags(stage: string, app: string): Readonly<Record<string, string>> {
  return { 'roundhouse:stage': stage, 'roundhouse:app': app };
}
