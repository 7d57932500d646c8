/**
 * Extracts from Shopify's Admin schemas the part that our queries use: `npm run shopify-schema`. Run it after a change
 * of a query or of the API version. It writes what all versions have, and what each has in addition.
 *
 * A type that a query uses keeps all its fields with scalar values, so that misspelled and deprecated ones are
 * recognized; fields of other types are kept only if a query uses them.
 *
 * Shopify publishes the schemas in an npm package. It is downloaded, compared with the hash below, and only read:
 * nothing of it is installed or run. docs/adr/0014-supply-chain.md gives the reasons.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import {
  buildClientSchema,
  getNamedType,
  type IntrospectionInputTypeRef,
  type IntrospectionOutputTypeRef,
  type IntrospectionQuery,
  type IntrospectionType,
  parse,
  printSchema,
  specifiedDirectives,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { SHOPIFY_QUERIES } from "../shopify-queries.ts";
import { ADMIN_VERSIONS } from "../shopify-schema.ts";
import { splitSchemas } from "./split.ts";

const SOURCE = {
  name: "@shopify/dev-mcp",
  version: "1.16.0",
  integrity:
    "sha512-tqgRnK7sQhjew+htxtleTH23nXB5fZcsrhWgEkomsorGXvLOB2mh2upwZm8uzuTDNTZnqtLMe64yIwh6s2awtw==",
} as const;

const run = promisify(execFile);

type Types = ReadonlyMap<string, IntrospectionType>;
type Used = Map<string, Set<string>>;

/** The fields that the queries name, by type. What they ask of an interface, they ask of each of its types. */
function usedFields(introspection: IntrospectionQuery, types: Types): Used {
  const used: Used = new Map();
  const use = (type: string, field: string): void => {
    used.set(type, (used.get(type) ?? new Set()).add(field));
    const described = types.get(type);
    if (described?.kind !== "INTERFACE" && described?.kind !== "UNION") return;
    for (const { name } of described.possibleTypes) use(name, field);
  };
  const position = new TypeInfo(buildClientSchema(introspection, { assumeValid: true }));
  const visitor = visitWithTypeInfo(position, {
    Field: ({ name }) => {
      use(position.getParentType()?.name ?? "", name.value);
      // A query may name only types of a result that is an interface, and no field of its own.
      const result = getNamedType(position.getType())?.name ?? "";
      used.set(result, used.get(result) ?? new Set());
    },
  });
  for (const text of Object.values(SHOPIFY_QUERIES)) visit(parse(text), visitor);
  return used;
}

function nameOf(type: IntrospectionInputTypeRef | IntrospectionOutputTypeRef): string {
  return type.kind === "LIST" || type.kind === "NON_NULL" ? nameOf(type.ofType) : type.name;
}

/** The introspection result with what the queries use, and nothing else. */
function reduced(introspection: IntrospectionQuery): IntrospectionQuery {
  const { __schema: schema } = introspection;
  const types: Types = new Map(schema.types.map((type) => [type.name, type]));
  const used = usedFields(introspection, types);
  const roots = new Set([schema.queryType.name, schema.mutationType?.name]);
  const kept = new Map<string, IntrospectionType>();

  function keep(name: string): void {
    const type = types.get(name);
    if (type === undefined || kept.has(name)) return;
    kept.set(name, type);
    if (type.kind === "INPUT_OBJECT") for (const field of type.inputFields) keep(nameOf(field.type));
    if (type.kind !== "OBJECT" && type.kind !== "INTERFACE") return;
    const fields = type.fields.filter((field) => {
      const isPlain = /^(SCALAR|ENUM)$/.test(types.get(nameOf(field.type))?.kind ?? "");
      return used.get(name)?.has(field.name) === true || (isPlain && !roots.has(name));
    });
    kept.set(name, { ...type, fields, interfaces: type.interfaces.filter((one) => used.has(one.name)) });
    for (const { type: result, args } of fields) {
      keep(nameOf(result));
      for (const arg of args) keep(nameOf(arg.type));
    }
  }
  for (const name of used.keys()) keep(name);

  return {
    __schema: {
      ...schema,
      types: [...kept.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
      directives: schema.directives.filter(({ name }) =>
        specifiedDirectives.some((one) => one.name === name),
      ),
    },
  };
}

/** The schema's texts for readers are not needed; why something is deprecated is. */
const withoutDescriptions = (key: string, value: unknown): unknown =>
  key === "description" && (typeof value === "string" || value === null) ? undefined : value;

async function unpacked(folder: string): Promise<string> {
  const { stdout } = await run("npm", ["pack", `${SOURCE.name}@${SOURCE.version}`, "--json"], {
    cwd: folder,
  });
  const [{ filename } = { filename: "" }] = Object.values(JSON.parse(stdout) as { filename: string }[]);
  const archive = join(folder, filename);
  const sha512 = createHash("sha512")
    .update(await readFile(archive))
    .digest("base64");
  assert.equal(`sha512-${sha512}`, SOURCE.integrity, `${SOURCE.name} is not the package that was reviewed.`);
  await run("tar", ["-xzf", archive, "-C", folder]);
  return join(folder, "package");
}

const folder = await mkdtemp(join(tmpdir(), "shelfwire-schema-"));
try {
  const source = await unpacked(folder);
  await writeFile(join(import.meta.dirname, "LICENSE"), await readFile(join(source, "LICENSE")));
  const texts: string[] = [];
  for (const version of ADMIN_VERSIONS) {
    const packed = await readFile(join(source, `dist/data/admin_${version}.json.gz`));
    const { data } = JSON.parse(gunzipSync(packed).toString("utf8"), withoutDescriptions) as {
      data: IntrospectionQuery;
    };
    texts.push(printSchema(buildClientSchema(reduced(data), { assumeValid: true })));
  }
  const { common, extensions } = splitSchemas(texts);
  const from = `from ${SOURCE.name} ${SOURCE.version}\n# (license: LICENSE in this folder). Written by extract.ts; do not edit.\n`;
  const write = (name: string, head: string, text: string): Promise<void> =>
    writeFile(join(import.meta.dirname, `${name}.graphql`), `# ${head}, ${from}\n${text}\n`);
  await write("common", "The part of Shopify's Admin API that our queries use, in all versions", common);
  for (const [index, version] of ADMIN_VERSIONS.entries()) {
    const text = extensions[index] ?? "";
    await write(version, `What Shopify's Admin API ${version} has in addition to common.graphql`, text);
  }
} finally {
  await rm(folder, { recursive: true });
}
