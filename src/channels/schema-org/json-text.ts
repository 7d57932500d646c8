/**
 * The JSON of `jsonld.json`, made by joining texts, which is several times faster than serializing objects. Every value
 * is JSON text that can be put into a `<script>` element as it is: no `</script>`, no `<!--`. Undefined values are left
 * out.
 */
import { namesOf } from "../kit/field-table.ts";
import { SCHEMA_ORG } from "./fields.ts";

export type JsonText = string;

const HTML_UNSAFE = /[<>&\u2028\u2029]/;
const EACH_HTML_UNSAFE = /[<>&\u2028\u2029]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** These characters occur only inside strings, where an escape means the same. */
function scriptSafe(json: JsonText): JsonText {
  return HTML_UNSAFE.test(json) ? json.replace(EACH_HTML_UNSAFE, escaped) : json;
}

export function str(text: string): JsonText {
  return scriptSafe(JSON.stringify(text));
}

export function maybeStr(text: string | undefined): JsonText | undefined {
  return text === undefined ? undefined : str(text);
}

export function strings(texts: readonly string[]): JsonText {
  return scriptSafe(JSON.stringify(texts));
}

/** A member of a schema.org enumeration by its full address, which every reader takes. */
export function term(name: string): JsonText {
  return `"${SCHEMA_ORG}/${name}"`;
}

export function array(values: readonly JsonText[]): JsonText | undefined {
  if (values.length === 0) return undefined;
  let text = "";
  for (const value of values) text += text === "" ? value : `,${value}`;
  return `[${text}]`;
}

export function node(type: string, properties: Readonly<Record<string, JsonText | undefined>>): JsonText {
  let text = `{"@type":"${type}"`;
  for (const name in properties) {
    const value = properties[name];
    if (value !== undefined) text += `,"${name}":${value}`;
  }
  return `${text}}`;
}

/** A node whose properties are written by one function each, in the order of the field table. */
export function nodeWriter<Input, Name extends string>(
  fields: Readonly<Record<Name, unknown>>,
  values: Readonly<Record<Name, (input: Input) => JsonText | undefined>>,
): (head: string, input: Input) => JsonText {
  const columns = namesOf(fields).map((name) => ({ key: `,"${name}":`, valueOf: values[name] }));
  return (head, input) => {
    let text = head;
    for (const { key, valueOf } of columns) {
      const value = valueOf(input);
      if (value !== undefined) text += key + value;
    }
    return `${text}}`;
  };
}

export function reference(id: string): JsonText {
  return `{"@id":${str(id)}}`;
}

const PLAIN = /^[\w.~-]+$/;

/**
 * The `@id` of a node. Variants often share a page, so the id of the item, which is unique in the catalog, is added.
 * `page` is the JSON of an address. A node without a page has no `@id`.
 */
export function nodeId(
  page: JsonText | undefined,
  kind: "product" | "group",
  id: string,
): JsonText | undefined {
  if (page === undefined) return undefined;
  const fragment = page.indexOf("#");
  const address = page.slice(0, fragment === -1 ? -1 : fragment);
  return `${address}#${kind}-${PLAIN.test(id) ? id : encodeURIComponent(id.toWellFormed())}"`;
}
