/** /api/v1/webhooks: register, change, list and delete endpoints, rotate a secret, send a test. */
import { newId } from "../../lib/id.ts";
import {
  ChangedWebhookAnswer,
  ChangeWebhook,
  DeletedAnswer,
  RegisteredAnswer,
  DeleteWebhook,
  RegisterWebhook,
  RotatedAnswer,
  RotateSecret,
  TestedAnswer,
  WebhookId,
  WebhooksAnswer,
} from "../../contract/webhooks.ts";
import { fieldNames } from "../../setup/changes.ts";
import { sendTest } from "../../webhooks/deliveries.ts";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  registerWebhook,
  rotateSecret,
} from "../../webhooks/endpoints.ts";
import type { Api, ApiDeps } from "../api.ts";
import { targetGuard } from "../target-guard.ts";

export function webhookRoutes(api: Api, deps: ApiDeps): void {
  registration(api, deps);
  changing(api, deps);
  listAndDelete(api, deps);
  rotation(api, deps);
  testing(api, deps);
}

function registration(api: Api, deps: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/webhooks",
    scope: "write",
    operationId: "registerWebhook",
    summary: "Register a webhook",
    description:
      "The secret is in this answer and in no other. The address must be https and public, except for what the operator allows.",
    body: RegisterWebhook,
    ignoresUnknown: true,
    answers: { 201: RegisteredAnswer },
    problems: [422],
    handler: async ({ caller: { catalogId }, body: { url, events }, changeLog, request }) => {
      const { db, encryption } = deps;
      const guard = targetGuard(deps, request);
      const id = newId();
      const target = { type: "webhook", id, fields: ["url", "events"] } as const;
      const recorded = changeLog.recording(db, catalogId, target);
      const data = await registerWebhook(recorded, encryption, { id, catalogId, url, events }, guard);
      return { status: 201, body: { data } };
    },
  });
}

function changing(api: Api, deps: ApiDeps): void {
  api.route({
    method: "PATCH",
    url: "/webhooks",
    scope: "write",
    operationId: "changeWebhook",
    summary: "Change a webhook",
    description:
      "What is not named stays as it is, the secret included. Deliveries that wait are sent to the new address; new events are those from now on.",
    body: ChangeWebhook,
    answers: { 200: ChangedWebhookAnswer },
    problems: [404, 422],
    handler: async ({ caller: { catalogId }, body, changeLog, request }) => {
      const { id, ...fields } = body;
      const target = { type: "webhook", id, fields: fieldNames(fields) } as const;
      const recorded = changeLog.recording(deps.db, catalogId, target);
      const guard = targetGuard(deps, request);
      return {
        body: { data: await changeWebhook(recorded, deps.encryption, { catalogId, ...body }, guard) },
      };
    },
  });
}

function listAndDelete(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/webhooks",
    scope: "read",
    operationId: "listWebhooks",
    summary: "List webhooks",
    description: "Every endpoint with its health. Secrets are never returned.",
    answers: { 200: WebhooksAnswer },
    handler: async ({ caller }) => ({
      body: { data: { webhooks: await listWebhooks(db, caller.catalogId) } },
    }),
  });

  api.route({
    method: "DELETE",
    url: "/webhooks",
    scope: "write",
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    description: "Deliveries that are queued for it are dropped.",
    body: DeleteWebhook,
    ignoresUnknown: true,
    answers: { 200: DeletedAnswer },
    problems: [404],
    handler: async ({ caller: { catalogId }, body: { id }, changeLog }) => {
      await deleteWebhook(changeLog.recording(db, catalogId, { type: "webhook", id }), { catalogId, id });
      return { body: { data: { id, deleted: true as const } } };
    },
  });
}

function rotation(api: Api, { db, encryption }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/webhooks/rotate",
    scope: "write",
    operationId: "rotateWebhookSecret",
    summary: "Rotate a secret",
    description:
      "A new secret, returned this once. Until the overlap ends every delivery carries the signatures of both, so that receivers can be switched over one by one. While an overlap runs, only a rotation without one is possible.",
    body: RotateSecret,
    answers: { 200: RotatedAnswer },
    problems: [404, 409],
    handler: async ({ caller: { catalogId }, body: { id, overlap_s: overlapS }, changeLog }) => {
      const data = await db.tx(async (tx) => {
        const rotated = await rotateSecret(tx, encryption, { catalogId, id, overlapS });
        await changeLog.record(tx, catalogId, { type: "webhook", id, fields: ["secret"] });
        return rotated;
      });
      return { body: { data } };
    },
  });
}

function testing(api: Api, { db, encryption, webhookHttpClient: client }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/webhooks/test",
    scope: "write",
    operationId: "testWebhook",
    summary: "Send a test event",
    description:
      "Sends a signed `webhook.test` event now, like any delivery, and answers with the attempt. It is never retried.",
    body: WebhookId,
    answers: { 200: TestedAnswer },
    problems: [404],
    handler: async ({ caller: { catalogId }, body: { id }, signal, changeLog }) => {
      const recorded = changeLog.recording(db, catalogId, { type: "webhook", id });
      return {
        body: { data: await sendTest({ db: recorded, client, encryption, signal }, { catalogId, id }) },
      };
    },
  });
}
