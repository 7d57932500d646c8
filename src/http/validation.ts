/**
 * Turns schema errors into messages for the caller: which field, what was sent, what is allowed. Values under
 * `settings` are never repeated: some are secrets.
 */
import type { FastifySchemaValidationError } from "fastify";
import { MAIL_ADDRESS } from "../contract/alerts.ts";
import { DAILY_AT, FILE_NAME } from "../contract/destinations.ts";
import { HOST_PATTERN } from "../contract/publish-guard.ts";
import { AppError } from "../errors.ts";
import type { FieldProblem } from "../errors.ts";
import { closest } from "../lib/closest.ts";
import { AJV_OPTIONS, buildValidator } from "./validators.ts";
import { choiceWords, countKinds, type SchemaNode, unionsIn } from "./union-errors.ts";

/** With `verbose`, Ajv adds the value and the schema of the failed keyword. */
type SchemaError = FastifySchemaValidationError & {
  readonly data?: unknown;
  readonly parentSchema?: SchemaNode;
};

/** How many problems a response lists, and how much of a value it repeats. */
const MAX_PROBLEMS = 20;
const MAX_QUOTED = 80;

/** Names of the parts of a request. */
const PARTS: Readonly<Record<string, { readonly request: string; readonly field: string }>> = {
  body: { request: "body", field: "field" },
  querystring: { request: "query", field: "query parameter" },
  params: { request: "path", field: "path parameter" },
  headers: { request: "headers", field: "header" },
};

export function validationError(errors: readonly SchemaError[], context = "body"): AppError {
  const part = PARTS[context] ?? { request: context, field: "field" };
  const problems = fieldProblems(errors, part.field);
  return new AppError("invalid_request", `The request's ${part.request} is invalid. ${sentences(problems)}`, {
    fields: problems.slice(0, MAX_PROBLEMS),
  });
}

/** Makes the problems for a part of a request that the call does not have. */
export const unknownNamesError = (names: readonly string[], context: "body" | "querystring"): AppError =>
  validationError(names.map(unknownNameIn), context);

const unknownNameIn = (additionalProperty: string): SchemaError => ({
  keyword: "additionalProperties",
  instancePath: "",
  schemaPath: "",
  params: { additionalProperty },
});

/** The first problems, one sentence or two each. */
function sentences(problems: readonly FieldProblem[]): string {
  const rest = problems.length - MAX_PROBLEMS;
  const listed = problems.slice(0, MAX_PROBLEMS).map(({ pointer, detail }) => sentence(pointer, detail));
  return `${listed.join(" ")}${rest > 0 ? ` And ${rest} more.` : ""}`;
}

/**
 * Says what is wrong with a value that is not part of a request, such as a file; undefined if the value fits the
 * schema.
 */
export function valueProblems(schema: object, value: unknown): string | undefined {
  const validate = buildValidator({}, { customOptions: AJV_OPTIONS })({ schema });
  if (validate(value)) return undefined;
  return sentences(fieldProblems((validate.errors ?? []) as readonly SchemaError[], "field"));
}

/** `interval_s: Must be …`; a problem of the whole body has no name. */
function sentence(pointer: string, detail: string): string {
  const name = pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
  return name === "" ? detail : `${clip(name)}: ${detail}`;
}

/** One problem per field: for a value of the wrong type the pattern does not matter. */
function fieldProblems(errors: readonly SchemaError[], field: string): readonly FieldProblem[] {
  const byPointer = new Map<string, { readonly weight: number; readonly detail: string }>();
  const unions = unionsIn(errors);
  for (const error of errors) {
    const pointer = pointerOf(error);
    const weight = weightOf(error);
    const known = byPointer.get(pointer);
    if (isNullBranch(error) || unions.isExplainedBelow(error)) continue;
    if (known === undefined || weight > known.weight)
      byPointer.set(pointer, { weight, detail: detailOf(error, field) });
    if (byPointer.size > 10 * MAX_PROBLEMS) break;
  }
  return [...byPointer].map(([pointer, { detail }]) => ({ pointer, detail }));
}

/** Decides which problem of a value is reported. */
const WEIGHTS: Readonly<Record<string, number>> = { anyOf: 0, pattern: 1, format: 2, type: 3 };
/** Says all that is allowed, instead of what one branch of a union allows. */
const UNION_WEIGHT = 4;
/** Says what is wrong with a value of the right type. */
const FORM_WEIGHT = 5;
const FORMS: ReadonlySet<string> = new Set([
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
]);

function weightOf(error: SchemaError): number {
  const { keyword, parentSchema = {}, data, schemaPath } = error;
  if (keyword === "anyOf") {
    const kinds = countKinds(parentSchema, data);
    // If a union contains a union, the message of the outer one says more.
    return kinds > 1 ? UNION_WEIGHT + kinds / 1_000 : 0;
  }
  if (FORMS.has(keyword) && schemaPath.includes("/anyOf/")) return FORM_WEIGHT;
  return WEIGHTS[keyword] ?? 1;
}

/** A value that may be null is a union. What is wrong with any other value is in the errors of its other branch. */
const isNullBranch = ({ keyword, parentSchema }: SchemaError): boolean =>
  keyword === "type" && parentSchema?.type === "null";

function pointerOf({ instancePath, params }: SchemaError): string {
  const name = params["missingProperty"] ?? params["additionalProperty"];
  return typeof name === "string"
    ? `${instancePath}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
    : instancePath;
}

function detailOf(error: SchemaError, field: string): string {
  return (DETAILS[error.keyword] ?? wrongValue)(error, field);
}

const wrongValue = (error: SchemaError): string =>
  `Must be ${allowed(error.parentSchema ?? {})}. ${valueText(error)}`;

/** By keyword of the schema. */
const DETAILS: Readonly<Record<string, (error: SchemaError, field: string) => string>> = {
  anyOf: (error) => `Must be ${choiceWords(error.parentSchema ?? {}, allowed)}. ${valueText(error)}`,
  required: () => "Is required.",
  additionalProperties: ({ params, parentSchema }, field) =>
    unknownName(String(params["additionalProperty"]), Object.keys(parentSchema?.properties ?? {}), field),
  enum: (error) => `Must be one of: ${listOf(error.params["allowedValues"])}. ${valueText(error)}`,
  const: (error) => `Must be ${JSON.stringify(error.params["allowedValue"])}. ${valueText(error)}`,
  minProperties: wrongNumberOfFields,
  maxProperties: wrongNumberOfFields,
  minLength: wrongText,
  maxLength: wrongText,
  pattern: wrongText,
  minItems: wrongList,
  maxItems: wrongList,
  uniqueItems: wrongList,
};

const NUL = "\0";

/** Text that is empty, too long or not of the right form. */
function wrongText(error: SchemaError): string {
  const { keyword, data, parentSchema = {} } = error;
  const { minLength = 0, maxLength, pattern = "" } = parentSchema;
  const value = String(data);
  if (keyword === "maxLength") return `Is too long: ${value.length} characters. Enter at most ${maxLength}.`;
  if (value.includes(NUL) && pattern.includes("u0000"))
    return "Contains a NUL character (U+0000). Remove it.";
  if (value.trim() !== "") return wrongValue(error);
  const length = between(Math.max(1, minLength), maxLength).replace(" from", " of");
  return `Is empty. Enter text${length}${length && " characters"}.`;
}

/** A list with too few or too many entries. */
function wrongList({ keyword, data, parentSchema = {} }: SchemaError): string {
  const { items, minItems, maxItems } = parentSchema;
  const count = Array.isArray(data) ? data.length : 0;
  if (keyword === "uniqueItems") return "Has an entry more than once. Send each entry once.";
  if (keyword === "maxItems") return `Has ${count} entries. Send at most ${maxItems}.`;
  const known = items?.enum === undefined ? "" : ` of: ${listOf(items.enum)}`;
  return `${count === 0 ? "Is empty" : `Has ${count} entries`}. Choose at least ${minItems}${known}.`;
}

/** `Must have at most 1 of these fields: key, code. Got key, code.` */
function wrongNumberOfFields({ keyword, params, data, parentSchema = {} }: SchemaError): string {
  const { properties = {}, minProperties, maxProperties } = parentSchema;
  const bound = keyword === "minProperties" ? "at least" : "at most";
  const how = minProperties === maxProperties ? "exactly" : bound;
  const sent = Object.keys(data ?? {});
  const got = sent.length === 0 ? "none" : clip(sent.join(", "));
  return `Must have ${how} ${String(params["limit"])} of these fields: ${Object.keys(properties).join(", ")}. Got ${got}.`;
}

function unknownName(name: string, known: readonly string[], field: string): string {
  const shown = JSON.stringify(clip(name));
  if (known.length === 0) return `There is no ${field} ${shown}; this call takes none.`;
  const likely = name.length <= MAX_QUOTED ? closest(name, known) : undefined;
  const hint = likely === undefined ? "" : ` Did you mean ${likely}?`;
  return `There is no ${field} ${shown}.${hint} Known: ${known.join(", ")}.`;
}

const listOf = (values: unknown): string => (Array.isArray(values) ? values.join(", ") : String(values));

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "a UUID, such as 01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff",
  "date-time": "a time, such as 2026-11-15T06:00:00Z",
  uri: "an address, such as https://shop.example/",
};

/** Describes in words what the schema allows. */
function allowed(schema: SchemaNode): string {
  const { type = "", format, minimum, maximum } = schema;
  if (format !== undefined) return FORMATS[format] ?? `a ${format}`;
  if (type === "string") return allowedText(schema);
  return `${TYPES[type] ?? "of another type"}${between(minimum, maximum)}`;
}

const TYPES: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "a JSON object",
  array: "a list",
};

function allowedText(schema: SchemaNode): string {
  const { minLength, maxLength, pattern = "" } = schema;
  const length = between(minLength, maxLength).replace(" from", " of");
  return WHOLE_PATTERNS[pattern] ?? `text${length && `${length} characters`}${patternWords(schema)}`;
}

/** The patterns of the contract in words; any other is shown as it is. */
const PATTERN_WORDS: Readonly<Record<string, string>> = {
  "^[^\\u0000]*$": "",
  "^\\s*[^\\s\\u0000][^\\u0000]*$": "",
  "^[ -~]+$": ", printable ASCII only",
};

/** Patterns that describe the whole value. */
const WHOLE_PATTERNS: Readonly<Record<string, string>> = {
  "^(0(\\.[0-9]{1,6})?|1(\\.0{1,6})?)$": "a number from 0 to 1, with at most six decimals",
  [DAILY_AT]: "a time such as 07:00",
  [MAIL_ADDRESS]: "a mail address such as feeds@shop.example",
  [HOST_PATTERN]:
    "a host name such as www.shop.example, in small letters, without https:// and without a path",
  [FILE_NAME]: "a name of at most 100 letters, digits, points, hyphens and underscores",
};

function patternWords({ pattern }: SchemaNode): string {
  return pattern === undefined ? "" : (PATTERN_WORDS[pattern] ?? ` that matches ${pattern}`);
}

function between(min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return "";
  if (max === undefined) return ` from ${min}`;
  return min === undefined ? ` up to ${max}` : ` from ${min} to ${max}`;
}

function valueText({ data, instancePath }: SchemaError): string {
  const isPrivate = instancePath.startsWith("/settings/");
  if (data === undefined) return "Got nothing.";
  if (data === null) return "Got null.";
  if (Array.isArray(data)) return "Got a list.";
  if (typeof data === "object") return "Got an object.";
  if (typeof data !== "string") return isPrivate ? `Got a ${typeof data}.` : `Got ${JSON.stringify(data)}.`;
  if (isPrivate || data.length > 10 * MAX_QUOTED) return `Got text of ${data.length} characters.`;
  return `Got ${JSON.stringify(clip(data))}.`;
}

const clip = (text: string): string => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
