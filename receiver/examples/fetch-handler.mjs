/* oxlint-disable no-console -- an example is a whole program, and talks */
/* oxlint-disable typescript/no-unsafe-assignment -- the package these import has no types until it is built */
/**
 * A receiver as a fetch handler, in the form Cloudflare Workers take. `env` has the secret and a key-value store
 * `SEEN`. In Deno or Bun, call `fetch` from their own server: Deno.serve((request) => handler.fetch(request, env,
 * context)).
 */
import { work as print } from "./work.mjs";
import { SignatureError, verifyAsync } from "@shelfwire/receiver/web";

/** Longer than the service's last retry, which comes 14 hours and 36 minutes after the first attempt. */
const REMEMBERED_S = 2 * 24 * 60 * 60;

// oxlint-disable-next-line import/no-default-export -- the runtime reads the default export
export default {
  /** @param {Request} request */
  async fetch(request, env, context) {
    let event;
    try {
      const header = request.headers.get("x-service-signature");
      event = await verifyAsync(await request.arrayBuffer(), header, env.SHELFWIRE_WEBHOOK_SECRET);
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      console.error(error.message);
      return new Response(error.code, { status: 400 });
    }

    // Two copies at the same moment may both pass a key-value store. Where that matters, use a unique column.
    const id = request.headers.get("webhook-id") ?? "";
    const isNew = (await env.SEEN.get(id)) === null;
    if (isNew) {
      await env.SEEN.put(id, "seen", { expirationTtl: REMEMBERED_S });
      context.waitUntil(work(event));
    }
    return new Response(null, { status: 204 });
  },
};

const work = async (event) => print(event);
