/** /api/v1/renders/rollback and /release: serve the files of an earlier render, and publish new ones again. */
import { ReleaseAnswer, RenderAnswer, RollBack } from "../../contract/renders.ts";
import { releaseCatalog, rollBack } from "../../pipeline/publication/decide.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { decryptFeedToken } from "../../setup/catalogs.ts";
import type { Api, ApiDeps } from "../api.ts";
import { decidedBy } from "../operations.ts";
import { renderDetail } from "./renders.ts";

export function rollbackRoutes(api: Api, deps: ApiDeps & { readonly folders: FeedFolders }): void {
  const { db, feedUrl, encryption, folders } = deps;
  api.route({
    method: "POST",
    url: "/renders/rollback",
    scope: "write",
    operationId: "rollBack",
    summary: "Roll back to an earlier render",
    description:
      "Serves the files of an earlier render again, at once, and sends them to the destinations. From then on publication is paused: new renders are held, until POST /renders/release. The answer is a new render, which uses the files of the earlier one. With the published render, nothing but the pause changes.",
    body: RollBack,
    answers: { 200: RenderAnswer },
    problems: [404, 409, 410],
    handler: async ({ caller, body: { run_id: runId, reason }, changeLog }) => {
      const { catalogId } = caller;
      const target = { type: "render", id: runId, fields: ["published", "publication"] } as const;
      const recorded = changeLog.recording(db, catalogId, target);
      const publishing = { db: recorded, folders, feedUrl, decryptFeedToken: decryptFeedToken(encryption) };
      const restored = { catalogId, runId, reason: reason.trim(), by: decidedBy(caller) };
      const id = await rollBack(publishing, restored);
      return { body: { data: await renderDetail(db, catalogId, id) } };
    },
  });

  api.route({
    method: "POST",
    url: "/renders/release",
    scope: "write",
    operationId: "releasePublication",
    summary: "Publish new renders again",
    description:
      "Ends the pause after a rollback and queues a render, which the publish guard checks like any other. 409 if publication is not paused.",
    answers: { 202: ReleaseAnswer },
    problems: [409],
    handler: async ({ caller: { catalogId }, changeLog }) => {
      const recorded = changeLog.recording(db, catalogId, { type: "feeds", fields: ["publication"] });
      return { status: 202, body: { data: { run_id: await releaseCatalog(recorded, catalogId) } } };
    },
  });
}
