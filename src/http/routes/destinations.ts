/** /api/v1/destinations: where the files of the catalog are delivered. */
import type { FastifyRequest } from "fastify";
import {
  DestinationDeliveriesAnswer,
  DestinationDeliveriesQuery,
  DestinationDeliveryAnswer,
} from "../../contract/destination-deliveries.ts";
import {
  ChangedDestination,
  DeletedDestinationAnswer,
  DestinationAnswer,
  DestinationId,
  DestinationKindsAnswer,
  DestinationsAnswer,
  NewDestination,
  TriedDestination,
  TriedDestinationAnswer,
} from "../../contract/destinations.ts";
import { listDestinationDeliveries, requestDelivery } from "../../destinations/deliveries.ts";
import {
  addDestination,
  changeDestination,
  listDestinationBodies,
  removeDestination,
  settingsToTest,
} from "../../destinations/destinations.ts";
import { kindBodies } from "../../destinations/kinds.ts";
import { testDestination } from "../../destinations/send.ts";
import { newId } from "../../lib/id.ts";
import { publishedOf } from "../../pipeline/destinations/published.ts";
import { fieldNames } from "../../setup/changes.ts";
import type { Api, ApiDeps } from "../api.ts";
import { targetGuard } from "../target-guard.ts";

export function destinationRoutes(api: Api, deps: ApiDeps): void {
  listRoutes(api, deps);
  addRoute(api, deps);
  changeRoute(api, deps);
  deleteRoute(api, deps);
  testRoute(api, deps);
  sendRoute(api, deps);
  deliveriesRoute(api, deps);
}

const partsOf = (deps: ApiDeps, request: FastifyRequest) => ({
  encryption: deps.encryption,
  guard: targetGuard(deps, request),
});

function listRoutes(api: Api, { db, encryption }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/destinations",
    scope: "read",
    operationId: "listDestinations",
    summary: "List destinations",
    description: "Each with its health. Secrets are never returned.",
    answers: { 200: DestinationsAnswer },
    handler: async ({ caller: { catalogId } }) => ({
      body: { data: { destinations: await listDestinationBodies(db, encryption, catalogId) } },
    }),
  });

  api.route({
    method: "GET",
    url: "/destinations/kinds",
    scope: "read",
    operationId: "listDestinationKinds",
    summary: "List the kinds of destinations",
    description: "With the settings of each, as a form can show them.",
    answers: { 200: DestinationKindsAnswer },
    handler: async () => ({ body: { data: { kinds: kindBodies() } } }),
  });
}

function addRoute(api: Api, deps: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/destinations",
    scope: "write",
    operationId: "addDestination",
    summary: "Add a destination",
    description:
      "Nothing is sent to an SFTP server before its host key is confirmed: test the destination, compare the key, and save it as `host_key`.",
    body: NewDestination,
    answers: { 201: DestinationAnswer },
    problems: [409, 422],
    handler: async ({ caller: { catalogId }, body, changeLog, request }) => {
      const id = newId();
      const target = { type: "destination", id, fields: fieldNames(body) } as const;
      const recorded = changeLog.recording(deps.db, catalogId, target);
      const data = await addDestination(recorded, partsOf(deps, request), { ...body, catalogId, id });
      return { status: 201, body: { data } };
    },
  });
}

function changeRoute(api: Api, deps: ApiDeps): void {
  api.route({
    method: "PATCH",
    url: "/destinations",
    scope: "write",
    operationId: "changeDestination",
    summary: "Change a destination",
    description:
      "What is not named stays as it is, secrets included. With new settings, a delivery that waits is sent at once.",
    body: ChangedDestination,
    answers: { 200: DestinationAnswer },
    problems: [404, 409, 422],
    handler: async ({ caller: { catalogId }, body, changeLog, request }) => {
      const { id, ...fields } = body;
      const target = { type: "destination", id, fields: fieldNames(fields) } as const;
      const recorded = changeLog.recording(deps.db, catalogId, target);
      return {
        body: { data: await changeDestination(recorded, partsOf(deps, request), { ...body, catalogId }) },
      };
    },
  });
}

function deleteRoute(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "DELETE",
    url: "/destinations",
    scope: "write",
    operationId: "deleteDestination",
    summary: "Delete a destination",
    description: "With its receipts. Files that were delivered stay where they are.",
    body: DestinationId,
    answers: { 200: DeletedDestinationAnswer },
    problems: [404],
    handler: async ({ caller: { catalogId }, body: { id }, changeLog }) => {
      const recorded = changeLog.recording(db, catalogId, { type: "destination", id });
      await removeDestination(recorded, { catalogId, id });
      return { body: { data: { id, deleted: true as const } } };
    },
  });
}

function testRoute(api: Api, deps: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/destinations/test",
    scope: "write",
    operationId: "testDestination",
    summary: "Test a destination",
    description:
      "Of an SFTP server: without a confirmed host key, shows its key and ends before the login; with one, logs in and writes and removes an empty file. Of an HTTPS address: asks with OPTIONS and the headers of an upload, which changes nothing there; an answer shows that the connection works. Changes nothing that is stored.",
    body: TriedDestination,
    answers: { 200: TriedDestinationAnswer },
    problems: [404, 422],
    handler: async ({ caller: { catalogId }, body, signal, request }) => {
      const tried = await settingsToTest(deps.db, partsOf(deps, request), { ...body, catalogId });
      return { body: { data: await testDestination(deps.senders, { ...tried, signal }) } };
    },
  });
}

function sendRoute(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/destinations/send",
    scope: "write",
    operationId: "sendToDestination",
    summary: "Deliver now",
    description:
      "Queues a delivery of what is published, also if the destination has it already or is disabled.",
    body: DestinationId,
    answers: { 202: DestinationDeliveryAnswer },
    problems: [404, 409],
    handler: async ({ caller: { catalogId }, body: { id }, changeLog }) => {
      const recorded = changeLog.recording(db, catalogId, { type: "destination", id });
      return { status: 202, body: { data: await requestDelivery(recorded, { catalogId, id }, publishedOf) } };
    },
  });
}

function deliveriesRoute(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/destinations/deliveries",
    scope: "read",
    operationId: "listDestinationDeliveries",
    summary: "List deliveries to destinations",
    description: "What was delivered where and when, newest first. Kept for `KEEP_RECEIPTS`.",
    query: DestinationDeliveriesQuery,
    answers: { 200: DestinationDeliveriesAnswer },
    handler: async ({ caller: { catalogId }, query }) => ({
      body: { data: await listDestinationDeliveries(db, catalogId, query) },
    }),
  });
}
