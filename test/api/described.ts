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

export async function describedBy(api: RunningApi): Promise<(call: string, answer: Answer) => void> {
  const { paths, components } = (await api.ask("/api/v1/openapi.json")).json as Described;
  return (call, answer) => {
    const [method = "", path = ""] = call.split(" ");
    const what = `${call} ${answer.status}`;
    const response = paths[path]?.[method.toLowerCase()]?.responses[String(answer.status)];
    assert.ok(response, `${what} is not in the document`);
    const type = String(answer.headers["content-type"]).split(";")[0] ?? "";
    const schema = response.content[type]?.schema;
    assert.ok(schema, `${what} as ${type} is not in the document`);
    // References in the schema start from the document's root.
    const [isValid, errors] = Compile({ ...schema, components }).Errors(answer.json);
    assert.ok(isValid, `${what}: ${JSON.stringify(errors)} in ${answer.text}`);
  };
}
