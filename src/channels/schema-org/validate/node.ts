/** Reading nodes: a property may have one value or many, an enumeration may be a full address or a bare word. */
import { isJsonObject, type JsonObject } from "../../../lib/json-object.ts";
import { ownValue } from "../../../lib/own-value.ts";

export type Node = JsonObject;

const SCHEMA_ORG = /^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i;

/** A term without schema.org's address before it. */
export function bareTerm(value: string): string {
  return value.replace(SCHEMA_ORG, "");
}

export function isSchemaTerm(value: string): boolean {
  return SCHEMA_ORG.test(value);
}

/** Returns all values of a property, without absent and null values. */
export function valuesOf(node: Node, property: string): readonly unknown[] {
  const value = ownValue(node, property);
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function nodesOf(node: Node, property: string): readonly Node[] {
  return valuesOf(node, property).filter(isJsonObject);
}

/** Returns the first value as text: a string, a number, or the content of `@value`. Blank texts are ignored. */
export function textOf(node: Node, property: string): string | undefined {
  const [first] = valuesOf(node, property);
  const value = isJsonObject(first) ? first["@value"] : first;
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The texts of a property, from strings and from the `@id` or `url` of nodes. */
export function linksOf(node: Node, property: string): readonly string[] {
  return valuesOf(node, property).flatMap((value) => {
    if (typeof value === "string") return [value];
    const link = isJsonObject(value) ? (textOf(value, "contentUrl") ?? textOf(value, "url")) : undefined;
    return link === undefined ? [] : [link];
  });
}

/** The members of an enumeration that a property names. */
export function termsOf(node: Node, property: string): readonly string[] {
  return valuesOf(node, property).flatMap((value) => {
    const text = isJsonObject(value) ? value["@id"] : value;
    return typeof text === "string" ? [bareTerm(text)] : [];
  });
}

export function typesOf(node: Node): readonly string[] {
  return termsOf(node, "@type");
}

export function has(node: Node, property: string): boolean {
  return valuesOf(node, property).length > 0;
}

/** `{"@id": …}` alone: only a reference to a node. */
export function isReference(node: Node): boolean {
  const keys = Object.keys(node);
  return keys.length === 1 && keys[0] === "@id";
}

/** `{"url": …}` alone: the node is described on a page of its own. */
export function isElsewhere(node: Node): boolean {
  const keys = Object.keys(node);
  return keys.length === 1 && keys[0] === "url";
}

/** Returns the name of a node in a report. */
export function nameOf(node: Node): string | null {
  return (
    textOf(node, "productID") ??
    textOf(node, "productGroupID") ??
    textOf(node, "sku") ??
    textOf(node, "@id") ??
    null
  );
}
