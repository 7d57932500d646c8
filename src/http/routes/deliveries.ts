/** /api/v1/webhooks/deliveries: the log of what was sent, and sending again what did not arrive. */
import {
  DeliveriesAnswer,
  DeliveriesQuery,
  ResendDeliveries,
  ResentAnswer,
} from "../../contract/webhooks.ts";
import type { ResendDeliveries as Resend } from "../../contract/webhooks.ts";
import { AppError } from "../../errors.ts";
import { listDeliveries, resendDeliveries } from "../../setup/webhook-log.ts";
import type { ResendRequest } from "../../setup/webhook-log.ts";
import { deliveryBody } from "../../setup/webhook-view.ts";
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
    tag: "Webhooks",
    query: DeliveriesQuery,
    answers: { 200: DeliveriesAnswer },

    handler: async ({ caller, query }) => {
      const { webhook_id, state, event, cursor, limit } = query;
      const { deliveries, nextCursor } = await listDeliveries(db, {
        catalogId: caller.catalogId,
        ...(webhook_id !== undefined && { endpointId: webhook_id }),
        ...(state !== undefined && { state }),
        ...(event !== undefined && { event }),
        ...(cursor !== undefined && { cursor }),
        ...(limit !== undefined && { limit }),
      });
      return { body: { data: { deliveries: deliveries.map(deliveryBody), next_cursor: nextCursor } } };
    },
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
      "One delivery by its id, or all that died since a time. The schedule begins anew; the event keeps its id, so that receivers know it again.",
    tag: "Webhooks",
    body: ResendDeliveries,
    answers: { 200: ResentAnswer },
    problems: [404, 409],
    handler: async ({ caller: { catalogId }, body, trail }) => {
      const id = body.delivery_id ?? body.webhook_id;
      const type = body.delivery_id === undefined ? "webhook" : "delivery";
      const noted = trail.noting(db, catalogId, { type, ...(id !== undefined && { id }) });
      const { resent } = await resendDeliveries(noted, resendOf(catalogId, body));
      return { body: { data: { resent } } };
    },
  });
}

function resendOf(catalogId: string, { delivery_id, since, webhook_id }: Resend): ResendRequest {
  const time = since === undefined ? null : new Date(since);
  if ((delivery_id === undefined) === (time === null)) {
    throw refused("/delivery_id", "Give either delivery_id, or since with a time; not both and not neither.");
  }
  if (delivery_id !== undefined) return { catalogId, deliveryId: delivery_id };
  if (time === null || Number.isNaN(time.getTime())) throw refused("/since", "This moment does not exist.");
  return { catalogId, since: time, ...(webhook_id !== undefined && { endpointId: webhook_id }) };
}

const refused = (pointer: string, detail: string): AppError =>
  new AppError("invalid_request", detail, { fields: [{ pointer, detail }] });
