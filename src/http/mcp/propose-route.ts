/** What the tool `propose_value` calls. It is no call of the API: scripts push values, or write rules. */
import { ProposedAnswer, ProposeValue } from "../../contract/propose-value.ts";
import { proposeValue } from "../../pipeline/enrich/propose-value.ts";
import type { Api, ApiDeps } from "../api.ts";
import { proposalBody } from "../proposal-body.ts";

export function proposeRoute(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/proposals",
    scope: "write",
    operationId: "proposeValue",
    summary: "Propose a value",
    body: ProposeValue,
    answers: { 200: ProposedAnswer },
    handler: async ({ caller: { catalogId }, body, changeLog }) => {
      const recorded = changeLog.recording(db, catalogId, { type: "proposals", fields: [body.field] });
      const row = await proposeValue(recorded, catalogId, body);
      return { body: { data: { proposal: await proposalBody(db, catalogId, row) } } };
    },
  });
}
