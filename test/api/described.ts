/** Compares real answers with the OpenAPI document: status, content type and shape must match it. */
import assert from "node:assert/strict";
import { Compile } from "typebox/schema";
import type { Answer, RunningApi } from "./running-api.ts";

type Described = {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly responses: Readonly<
              Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
            >;
          }
        >
      >
    >
  >;
  readonly components: object;
};

/** The routes alone make it, so all applications of a process have the same one. */
let document: Promise<Described> | undefined;

async function readDocument(api: RunningApi): Promise<Described> {
  return (await api.ask("/api/v1/openapi.json")).json as Described;
}

/** Compiled once in a process for each schema: most files ask for the same ones. */
const validators = new Map<string, ReturnType<typeof Compile>>();

export async function describedBy(api: RunningApi): Promise<(call: string, answer: Answer) => void> {
  const { paths, components } = await (document ??= readDocument(api));
  return (call, answer) => {
    const [method = "", path = ""] = call.split(" ");
    const what = `${call} ${answer.status}`;
    const response = paths[path]?.[method.toLowerCase()]?.responses[String(answer.status)];
    assert.ok(response, `${what} is not in the document`);
    const type = String(answer.headers["content-type"]).split(";")[0] ?? "";
    const schema = response.content[type]?.schema;
    assert.ok(schema, `${what} as ${type} is not in the document`);
    const key = `${what} ${type}`;
    // References in the schema start from the document's root.
    const validator = validators.get(key) ?? Compile({ ...schema, components });
    validators.set(key, validator);
    const body = answer.json;
    // A check takes a fraction of the time of a list of errors.
    if (validator.Check(body)) return;
    assert.fail(`${what}: ${JSON.stringify(validator.Errors(body)[1])} in ${answer.text}`);
  };
}
