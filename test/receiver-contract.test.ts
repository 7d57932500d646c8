/**
 * The receiver package and the service declare the same events. The package has no imports, so it has declarations of
 * its own; the compiler compares them with the contract in both directions, and real deliveries are read by the
 * package.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import type { EventData, EventOf, KnownEvent, KnownEventType } from "../receiver/src/events.ts";
import { verify } from "../receiver/src/verify.ts";
import { EVENT_TYPES, EVENTS, TEST_EVENT, WebhookTest } from "../src/contract/events.ts";
import type {
  AuditCompleted,
  DeliveryFailed,
  EventType,
  FeedsRendered,
  RenderFailed,
  RenderHeld,
  SyncCompleted,
  SyncFailed,
  WebhookTest as WebhookTestData,
} from "../src/contract/events.ts";
import { openReceiver } from "./fakes/receiver.ts";
import { mugs } from "./api/rows.ts";
import { runningApi } from "./api/running-api.ts";

type Sent = {
  readonly "sync.completed": SyncCompleted;
  readonly "feeds.rendered": FeedsRendered;
  readonly "audit.completed": AuditCompleted;
  readonly "shelfwire.sync.failed": SyncFailed;
  readonly "shelfwire.render.failed": RenderFailed;
  readonly "shelfwire.render.held": RenderHeld;
  readonly "shelfwire.delivery.failed": DeliveryFailed;
  readonly "webhook.test": WebhookTestData;
};

/** Compiles only if each type is assignable to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const SAME: { readonly [Type in KnownEventType]: Same<Sent[Type], EventData[Type]> } = {
  "sync.completed": true,
  "feeds.rendered": true,
  "audit.completed": true,
  "shelfwire.sync.failed": true,
  "shelfwire.render.failed": true,
  "shelfwire.render.held": true,
  "shelfwire.delivery.failed": true,
  "webhook.test": true,
};
const SAME_TYPES: Same<KnownEventType, EventType | typeof TEST_EVENT> = true;

test("the package knows exactly the events that the service sends, with the same data", () => {
  assert.ok(SAME_TYPES);
  assert.deepEqual(Object.keys(SAME).toSorted(), [...EVENT_TYPES, TEST_EVENT].toSorted());
});

const SCHEMAS: Readonly<Record<string, TSchema>> = { ...EVENTS, [TEST_EVENT]: WebhookTest };

/** What the package's types let a receiver read. */
function numberIn(event: KnownEvent): number | string {
  if (event.event === "sync.completed") return event.data.stats.seen;
  if (event.event === "feeds.rendered") return event.data.feeds.length;
  if (event.event === "audit.completed") return event.data.items;
  return event.event === "webhook.test" ? event.data.message : event.event;
}

test("every event that the service sends is verified and read by the package, and fits the contract", async () => {
  await using api = await runningApi();
  await using receiver = await openReceiver();
  const shop = await api.openShop([...mugs(3), { id: "bad", price: "free" }]);
  const call = async (path: string, body: object) =>
    (await shop.call(`/api/v1/webhooks${path}`, { method: "POST", body })).json as {
      data: { id: string; secret: string };
    };
  const { id, secret } = (await call("", { url: receiver.url("/"), events: EVENT_TYPES })).data;

  await shop.sync();
  await call("/test", { id });

  const requests = await receiver.received(4);
  const events = requests.map(({ body, headers }) => {
    const event = verify(body, headers["x-service-signature"], secret) as EventOf<KnownEventType>;
    const [isValid, errors] = Compile(SCHEMAS[event.event] ?? assert.fail(event.event)).Errors(event.data);
    assert.ok(isValid, `${event.event}: ${JSON.stringify(errors)}`);
    return [event.event, numberIn(event)] as const;
  });
  assert.deepEqual(
    new Map(events),
    new Map<string, number | string>([
      ["sync.completed", 4],
      ["feeds.rendered", 4],
      ["audit.completed", 3],
      ["webhook.test", "This is a test. Nothing has happened to the catalog."],
    ]),
  );
});
