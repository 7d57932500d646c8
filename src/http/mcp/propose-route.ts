/**
 * The call that the tool `propose_value` makes. It is not part of the API, because scripts push values or write rules.
 */
import { ProposedAnswer, ProposeValue } from "../../contract/propose-value.ts";
import { findPointShare } from "../../pipeline/enrich/point-share.ts";
import { proposeValue } from "../../pipeline/enrich/propose-value.ts";
import { AppError } from "../../errors.ts";
import type { Api, ApiDeps } from "../api.ts";
import { proposalBodies } from "../proposal-body.ts";

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
      const share = await findPointShare(db, catalogId);
      const [proposal] = await proposalBodies(db, { catalogId, share }, [row]);
      if (!proposal) throw new AppError("internal", "The proposal cannot be shown.");
      return { body: { data: { proposal } } };
    },
  });
}
