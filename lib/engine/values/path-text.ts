/** Where a value lies in a document: keys and list indices from the root. */
export type DocumentPath = readonly (string | number)[];

/** A path as messages show it: `spec.versions[0].name`; a key that would be misread is quoted: `data["a.b"]`. */
export function pathText(path: DocumentPath): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (!/^[^.[\]"\s]+$/.test(segment)) text += `[${JSON.stringify(segment)}]`;
    else text += text === '' ? segment : `.${segment}`;
  }
  return text === '' ? '(root)' : text;
}
