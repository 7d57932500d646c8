/** /api/v1/webhooks/deliveries: the log of what was sent, and sending again what did not arrive. */
import {
  DeliveriesAnswer,
  DeliveriesQuery,
  DeliveryAnswer,
  DeliveryParams,
  ResendDeliveries,
  ResentAnswer,
} from "../../contract/webhooks.ts";
import { getDelivery, listDeliveries, resendDeliveries } from "../../webhooks/deliveries.ts";
import type { Api, ApiDeps } from "../api.ts";

export function deliveryRoutes(api: Api, deps: ApiDeps): void {
  deliveryLog(api, deps);
  resending(api, deps);
}

function deliveryLog(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/webhooks/deliveries",
    scope: "read",
    operationId: "listDeliveries",
    summary: "List deliveries",
    description: "Newest first, with every attempt and when the next one is due. Attempts are kept 30 days.",
    query: DeliveriesQuery,
    answers: { 200: DeliveriesAnswer },
    handler: async ({ caller, query }) => ({
      body: { data: await listDeliveries(db, caller.catalogId, query) },
    }),
  });

  api.route({
    method: "GET",
    url: "/webhooks/deliveries/:id",
    scope: "read",
    operationId: "getDelivery",
    summary: "Get a delivery",
    description: "One delivery with every attempt and when the next one is due.",
    params: DeliveryParams,
    answers: { 200: DeliveryAnswer },
    handler: async ({ caller: { catalogId }, params: { id } }) => ({
      body: { data: await getDelivery(db, { catalogId, id }) },
    }),
  });
}

function resending(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/webhooks/deliveries/resend",
    scope: "write",
    operationId: "resendDeliveries",
    summary: "Send deliveries again",
    description:
      "One delivery by its id, or all that died since a time. The schedule starts over. The event keeps its id, so that receivers recognize it.",
    body: ResendDeliveries,
    answers: { 200: ResentAnswer },
    problems: [404, 409],
    handler: async ({ caller: { catalogId }, body, changeLog }) => {
      const id = body.delivery_id ?? body.webhook_id;
      const type = body.delivery_id === undefined ? "webhook" : "delivery";
      const recorded = changeLog.recording(db, catalogId, { type, ...(id !== undefined && { id }) });
      return { body: { data: await resendDeliveries(recorded, catalogId, body) } };
    },
  });
}
