/** The name part of a key, and a label's value: 1 to 63 of these, with an alphanumeric at both ends. */
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
/** A DNS-1123 subdomain. */
const PREFIX = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Whether Kubernetes takes `text` as a label key: `name` or `prefix/name`. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash === -1) return NAME.test(text);
  return slash <= 253 && PREFIX.test(text.slice(0, slash)) && NAME.test(text.slice(slash + 1));
}

/** An annotation key is a label key whose prefix may also have capitals. */
export function isAnnotationKey(text: string): boolean {
  return isLabelKey(text.toLowerCase());
}

/** Whether Kubernetes takes `text` as the value of a label: empty, or up to 63 characters of the key's alphabet. */
export function isLabelValue(text: string): boolean {
  return text === '' || NAME.test(text);
}
