/**
 * API calls generated with a seed from the OpenAPI document: valid ones, ones with a part replaced by something
 * hostile, and ones that fit nothing. Used by a test of some hundred calls, and by the attack test for thousands.
 */
import { request } from "undici";

export type FuzzCall = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

type Schema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly $ref?: string;
};

type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
  /** Empty: the call needs no key. */
  readonly security?: readonly unknown[];
};

export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
};

export type FuzzOptions = {
  readonly document: ApiDocument;
  readonly chance: () => number;
  /** Ids that exist, of the caller's catalog and of another one. */
  readonly ids: readonly string[];
  /** URLs that a source or an endpoint may have. */
  readonly urls: readonly string[];
};

const LONG = "x".repeat(70_000);

const HOSTILE_TEXTS: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "'; drop table items; --",
  "$1",
  "%00",
  "../../../etc/passwd",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "\ud800",
  "\udfff\ud83d",
  "\u202e\ufeff\u200b",
  "é".repeat(5_000),
  LONG,
  `${" ".repeat(30_000)}\u0000`,
  ";".repeat(20_000),
  "__proto__",
  "constructor",
  "null",
  "NaN",
  "1e999",
  "-0",
  "9223372036854775808",
  "00000000-0000-0000-0000-000000000000",
  "http://169.254.169.254/latest/meta-data/",
  "file:///etc/passwd",
  "http://[::1]:5432/",
  "javascript:alert(1)",
];

const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  -(2 ** 53),
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { length: 1e9 },
];

const CONTENT_TYPES = [
  "application/json",
  "application/json; charset=utf-16",
  "application/x-ndjson",
  "application/jsonl",
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "text/csv",
  "a/b; c",
  ";",
];

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"];

/** Generates calls one after the other. */
export function fuzzer({ document, chance, ids, urls }: FuzzOptions): () => FuzzCall {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)] as T;
  const hostile = (): unknown => (chance() < 0.6 ? pick(HOSTILE_TEXTS) : pick(HOSTILE_VALUES));
  // An event stream does not end by itself.
  const paths = Object.entries(document.paths).filter(([path]) => path !== "/api/v1/events");
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

  const text = (name: string, { format, examples }: Schema): string => {
    if (format === "uuid" || /(^|_)id$/.test(name)) return chance() < 0.7 ? pick(ids) : pick(HOSTILE_TEXTS);
    if (format === "uri" || /url/.test(name)) return pick(urls);
    if (examples?.length) return String(pick(examples));
    return `text ${Math.floor(chance() * 1_000)}`;
  };

  const number = ({ minimum = 0, maximum = 1_000 }: Schema): number =>
    minimum + chance() * (maximum - minimum);

  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
  };

  /** A value of the schema, of which each part is replaced by something hostile now and then. */
  const value = (reference: Schema, name: string, depth = 0): unknown => {
    if (chance() < 0.06) return hostile();
    const schema = resolve(reference);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices?.length && depth < 5) return value(pick(choices), name, depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum?.length) return pick(schema.enum);
    switch (schema.type ?? "any") {
      case "string":
        return text(name, schema);
      case "integer":
        return Math.floor(number(schema));
      case "number":
        return number(schema);
      case "boolean":
        return chance() < 0.5;
      case "array":
        return Array.from({ length: Math.floor(chance() * 4) }, () =>
          value(schema.items ?? {}, name, depth + 1),
        );
      case "object":
        return object(schema, depth);
      default:
        return depth < 3 ? product() : hostile();
    }
  };

  const object = (schema: Schema, depth: number): Record<string, unknown> => {
    const made: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      if (schema.required?.includes(name) === true ? chance() < 0.95 : chance() < 0.5)
        made[name] = value(property, name, depth + 1);
    if (typeof schema.additionalProperties === "object")
      made[pick(["url", "format", "shop", "access_token", "header_name"])] = pick(urls);
    if (chance() < 0.05) made[pick(HOSTILE_TEXTS)] = hostile();
    return made;
  };

  const product = (): Record<string, unknown> => ({
    id: `p${Math.floor(chance() * 50)}`,
    title: "Mug",
    link: "https://shop.example/p",
    price: "9.50 USD",
    [pick(["gtin", "brand", "image_link", "price", "availability", "shipping", "id"])]: hostile(),
  });

  const payload = (operation: Operation): { body?: string | Buffer; type?: string } => {
    const content = Object.entries(operation.requestBody?.content ?? {});
    if (content.length === 0) return chance() < 0.1 ? { body: "{}", type: pick(CONTENT_TYPES) } : {};
    const [type, { schema = {} }] = pick(content);
    if (chance() < 0.08)
      return { body: Buffer.from(Array.from({ length: 200 }, () => chance() * 256)), type };
    if (chance() < 0.05) return { body: "[".repeat(20_000), type };
    if (chance() < 0.05) return { body: `{"a":`.repeat(5_000), type };
    const made = value(schema, "body");
    const json = JSON.stringify(Array.isArray(made) || chance() < 0.9 ? made : [made]) ?? "";
    const cut = chance() < 0.05 ? json.slice(0, Math.floor(chance() * json.length)) : json;
    return { body: cut, type: chance() < 0.9 ? type : pick(CONTENT_TYPES) };
  };

  return () => {
    const { path, method, operation } = pick(operations);
    const at = new URLSearchParams();
    const headers: Record<string, string> = { prefer: "respond-async" };
    let filled = path;
    for (const { name, in: place, schema = {} } of operation.parameters ?? []) {
      const sent = textOf(value(schema, name)).slice(0, 4_000);
      if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(wellFormed(sent)) || "x");
      else if (place === "header" && chance() < 0.5)
        headers[name] = sent.replace(/[^\x20-\x7e]/g, "?").trim();
      else if (place === "query" && chance() < 0.5) at.append(name, sent);
    }
    if (chance() < 0.05) at.append(wellFormed(textOf(hostile())).slice(0, 200), "1");
    const { body, type } = payload(operation);
    if (type !== undefined) headers["content-type"] = type;
    if (chance() < 0.03) headers["content-encoding"] = pick(["gzip", "br", "zstd", "nonsense", "gzip, gzip"]);
    const query = at.size > 0 ? `?${at.toString()}` : "";
    return {
      method: chance() < 0.95 ? method : pick(METHODS),
      path: filled + query,
      headers,
      ...(body !== undefined && { body }),
    };
  };
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Lone surrogates have no percent-encoding. */
const wellFormed = (text: string): string => text.toWellFormed();

export type FuzzAnswer = {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly ms: number;
};

export async function sendFuzzCall(
  url: string,
  { method, path, headers, body }: FuzzCall,
  authorization: string,
): Promise<FuzzAnswer> {
  const began = performance.now();
  const isBodiless = method === "GET" || method === "HEAD";
  const answer = await request(url + path, {
    method: method as "GET",
    headers: { ...headers, ...(authorization !== "" && { authorization }) },
    ...(body !== undefined && !isBodiless && { body }),
    signal: AbortSignal.timeout(120_000),
    bodyTimeout: 120_000,
    headersTimeout: 120_000,
  });
  const text = await answer.body.text();
  const type = String(answer.headers["content-type"] ?? "");
  return { status: answer.statusCode, type, text, ms: performance.now() - began };
}

/** What is wrong with the answer; null if nothing is. `marks` are texts that only the other catalog has. */
export function faultOf(
  call: FuzzCall,
  { status, type, text }: FuzzAnswer,
  marks: readonly string[],
): string | null {
  const what = `${call.method} ${call.path.slice(0, 200)} ${JSON.stringify(call.headers)} ${String(call.body).slice(0, 500)}`;
  const leaked = marks.find((mark) => text.includes(mark));
  if (leaked !== undefined) return `${what} answers ${status} with "${leaked}" of another catalog`;
  if (status >= 500) return `${what} answers ${status}: ${text.slice(0, 300)}`;
  if (status >= 400 && call.method !== "HEAD" && !type.startsWith("application/problem+json"))
    return `${what} answers ${status} as ${type}`;
  return null;
}
