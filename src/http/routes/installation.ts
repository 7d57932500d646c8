/** /api/v1/installation/resume: makes a restored copy live. */
import { ResumedAnswer } from "../../contract/installation.ts";
import { resume } from "../../pipeline/restored.ts";
import type { Api, ApiDeps } from "../api.ts";

export function installationRoutes(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/installation/resume",
    scope: "operator",
    isForInstallation: true,
    operationId: "resumeInstallation",
    summary: "Make a restored copy live",
    description:
      "After a restore, the installation sends no files, webhooks and mails, registers nothing at shops and syncs no source by itself. This call begins all of that, for every catalog. Needs an operator key. 409 if the installation is live. GET /catalogs says whether it is.",
    answers: { 200: ResumedAnswer },
    problems: [409],
    handler: async ({ changeLog }) => {
      const recorded = changeLog.recording(db, null, { type: "all" });
      return { body: { data: await recorded.tx(resume) } };
    },
  });
}
