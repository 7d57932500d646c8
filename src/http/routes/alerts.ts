/** /api/v1/alerts: what needs attention and what did, who is mailed, and a test mail. */
import {
  AlertsAnswer,
  AlertSettingsAnswer,
  AlertsQuery,
  ChangeAlertSettings,
  TestMailAnswer,
} from "../../contract/alerts.ts";
import {
  alertSettings,
  changeAlertSettings,
  listAlerts,
  sendTestMail,
} from "../../pipeline/alerts/alerts.ts";
import { fieldNames } from "../../setup/changes.ts";
import type { Api, ApiDeps } from "../api.ts";

export function alertRoutes(api: Api, deps: ApiDeps): void {
  const { db } = deps;
  api.route({
    method: "GET",
    url: "/alerts",
    scope: "read",
    operationId: "listAlerts",
    summary: "List alerts",
    description:
      "What needs attention, remembered: each problem once, from when to when, with what destinations get meanwhile and what to do. Catalogs are checked every minute; a problem that comes and goes stays one alert.",
    query: AlertsQuery,
    answers: { 200: AlertsAnswer },
    handler: async ({ caller, query }) => ({
      body: { data: await listAlerts(db, caller.catalogId, query) },
    }),
  });
  settings(api, deps);
  api.route({
    method: "POST",
    url: "/alerts/test",
    scope: "write",
    operationId: "sendTestMail",
    summary: "Send a test mail",
    description:
      "Sends a mail to every recipient of the catalog now, and answers with what the mail server said.",
    answers: { 200: TestMailAnswer },
    problems: [409],
    handler: async ({ caller, signal }) => ({
      body: { data: await sendTestMail(deps, caller.catalogId, signal) },
    }),
  });
}

function settings(api: Api, deps: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/alerts/settings",
    scope: "read",
    operationId: "getAlertSettings",
    summary: "Who is mailed, and from when on",
    answers: { 200: AlertSettingsAnswer },
    handler: async ({ caller }) => ({ body: { data: await alertSettings(deps, caller.catalogId) } }),
  });
  api.route({
    method: "PATCH",
    url: "/alerts/settings",
    scope: "write",
    operationId: "changeAlertSettings",
    summary: "Change who is mailed",
    description:
      "What is not named stays as it is. Problems that are open are mailed to new recipients only if nobody was mailed yet.",
    body: ChangeAlertSettings,
    answers: { 200: AlertSettingsAnswer },
    handler: async ({ caller: { catalogId }, body, changeLog }) => {
      const target = { type: "alerts", fields: fieldNames(body) } as const;
      await changeAlertSettings(changeLog.recording(deps.db, catalogId, target), catalogId, body);
      return { body: { data: await alertSettings(deps, catalogId) } };
    },
  });
}
