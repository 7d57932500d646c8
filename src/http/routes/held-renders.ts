/** /api/v1/renders/promote and /discard: decisions about held renders. /api/v1/publish-guard: what holds them. */
import { ChangePublishGuard, PublishGuardAnswer } from "../../contract/publish-guard.ts";
import { DecideRender, RenderAnswer } from "../../contract/renders.ts";
import type { Wire } from "../../contract/shapes.ts";
import { AppError } from "../../errors.ts";
import { type DecidedRender, discardRender, promoteRender } from "../../pipeline/publication/decide.ts";
import { changePublishGuard, describeGuard, guardFields } from "../../pipeline/publication/guard/settings.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { decryptFeedToken } from "../../setup/catalogs.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import type { Api, ApiDeps, Call } from "../api.ts";
import { decidedBy } from "../operations.ts";
import { renderDetail } from "./renders.ts";

type DecideCall = Pick<Call, "caller" | "changeLog"> & { readonly body: Wire<typeof DecideRender> };

type HeldDeps = ApiDeps & { readonly folders: FeedFolders };

export function heldRenderRoutes(api: Api, deps: HeldDeps): void {
  decide(api, deps);
  guard(api, deps);
}

function decide(api: Api, deps: HeldDeps): void {
  const { db, feedUrl, encryption, folders } = deps;
  /** Makes a decision, which is logged as a change of `field`, and answers with the render. */
  const decided =
    (field: "published" | "discarded", make: (recorded: Db, decision: DecidedRender) => Promise<void>) =>
    async ({ caller, body: { run_id: runId, reason }, changeLog }: DecideCall) => {
      const { catalogId } = caller;
      const recorded = changeLog.recording(db, catalogId, { type: "render", id: runId, fields: [field] });
      const by = decidedBy(caller);
      await make(recorded, { catalogId, runId, reason: reason.trim(), by });
      return { body: { data: await renderDetail(db, catalogId, runId) } };
    };
  api.route({
    method: "POST",
    url: "/renders/promote",
    scope: "write",
    operationId: "promoteRender",
    summary: "Publish a held render",
    description:
      "Publishes the files of a render that the publish guard holds, or of the newest one that was discarded. The reason is kept with the render. 409 if the render was published, or if a newer one has taken its place; 410 if its files are damaged.",
    body: DecideRender,
    answers: { 200: RenderAnswer },
    problems: [404, 409, 410],
    handler: decided("published", async (recorded, decision) => {
      const publishing = { db: recorded, folders, feedUrl, decryptFeedToken: decryptFeedToken(encryption) };
      await promoteRender(publishing, decision);
    }),
  });

  api.route({
    method: "POST",
    url: "/renders/discard",
    scope: "write",
    operationId: "discardRender",
    summary: "Discard a held render",
    description:
      "The published files stay. A later render with the same files is discarded, too. The reason is kept with the render. 409 if the render is not held any more.",
    body: DecideRender,
    answers: { 200: RenderAnswer },
    problems: [404, 409],
    handler: decided("discarded", discardRender),
  });
}

function guard(api: Api, { db }: HeldDeps): void {
  api.route({
    method: "GET",
    url: "/publish-guard",
    scope: "read",
    operationId: "getPublishGuard",
    summary: "Get the limits of the publish guard",
    answers: { 200: PublishGuardAnswer },
    handler: async ({ caller: { catalogId } }) => ({ body: await guardBody(db, catalogId) }),
  });

  api.route({
    method: "PATCH",
    url: "/publish-guard",
    scope: "admin",
    operationId: "changePublishGuard",
    summary: "Change the limits of the publish guard",
    description:
      "What is not named stays as it is. If a render is held, the feeds are rendered again and judged by the new limits.",
    body: ChangePublishGuard,
    answers: { 200: PublishGuardAnswer },
    handler: async ({ caller: { catalogId }, body, changeLog }) => {
      const target = { type: "publish-guard", fields: guardFields(body) } as const;
      await changePublishGuard(changeLog.recording(db, catalogId, target), catalogId, body);
      return { body: await guardBody(db, catalogId) };
    },
  });
}

async function guardBody(db: Queries, catalogId: string): Promise<PublishGuardAnswer> {
  const catalog = await findCatalog(db, catalogId);
  if (!catalog) throw new AppError("unauthorized", "The catalog of this API key was removed.");
  return { data: describeGuard(catalog.publishGuard) };
}
