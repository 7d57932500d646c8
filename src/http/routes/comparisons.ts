/** GET /api/v1/renders/{id}/compare/{other}: what differs between the files of two renders, and why. */
import { Readable } from "node:stream";
import { JSON_LINES_TYPES } from "../../contract/catalog.ts";
import { ComparisonAnswer, ComparisonParams, ComparisonQuery } from "../../contract/comparisons.ts";
import { type Comparison, openComparison } from "../../pipeline/publication/comparison/comparison.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import type { Api, ApiDeps } from "../api.ts";

export function comparisonRoutes(api: Api, deps: ApiDeps & { readonly folders: FeedFolders }): void {
  api.route({
    method: "GET",
    url: "/renders/:id/compare/:other",
    scope: "read",
    heavy: "stream",
    operationId: "compareRenders",
    summary: "Compare two renders",
    description: `Every item that is not the same in the files of both renders, with each field that was added, removed or changed, and its cause. The answer is a stream, with the totals at its end; as JSON Lines with \`Accept: ${JSON_LINES_TYPES[0]}\`. Both renders must be kept.`,
    params: ComparisonParams,
    query: ComparisonQuery,
    answers: { 200: ComparisonAnswer },
    problems: [410],
    handler: async ({ caller: { catalogId }, params, query, request }) => {
      const runs = { before: params.id, after: params.other };
      const comparison = await openComparison(deps, catalogId, runs, query);
      const type = jsonLinesType(request.headers.accept);
      const body = Readable.from(type === undefined ? jsonOf(comparison) : jsonLinesOf(comparison));
      return { headers: { "content-type": type ?? "application/json; charset=utf-8" }, body };
    },
  });
}

/** The media type of JSON Lines that the caller asks for. */
const jsonLinesType = (accept = ""): string | undefined =>
  JSON_LINES_TYPES.find((type) => accept.toLowerCase().includes(type));

async function* jsonOf({ head, items, totals }: Comparison): AsyncGenerator<string> {
  yield `{"data":${JSON.stringify(head).slice(0, -1)},"items":[`;
  let separator = "\n";
  for await (const batch of items()) {
    if (batch.length === 0) continue;
    yield separator + batch.map((item) => JSON.stringify(item)).join(",\n");
    separator = ",\n";
  }
  yield `\n],"totals":${JSON.stringify(totals())}}}\n`;
}

async function* jsonLinesOf({ head, items, totals }: Comparison): AsyncGenerator<string> {
  yield `${JSON.stringify({ comparison: head })}\n`;
  for await (const batch of items()) {
    const lines = batch.map((item) => `${JSON.stringify({ item })}\n`).join("");
    if (lines !== "") yield lines;
  }
  yield `${JSON.stringify({ totals: totals() })}\n`;
}
