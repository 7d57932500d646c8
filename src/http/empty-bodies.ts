/** Reads bodies that are not streamed: JSON, or no body. */
import type { FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";

/** Many clients send a content type without a body, such as curl with -d "": an empty body of any type is no body. */
export function acceptEmptyBodies(app: FastifyInstance): void {
  // Otherwise a text that is no media type at all would be refused before the body is looked at.
  app.addHook("onRequest", ({ raw: { headers }, routeOptions }, _reply, done) => {
    const { "content-length": length = "0", "transfer-encoding": coding } = headers;
    // A streamed body is read by its route, which says what is wrong with an empty one.
    const isStreamed = routeOptions.config.streamedBody != null;
    if (length === "0" && coding === undefined && !isStreamed) delete headers["content-type"];
    done();
  });
  const parse = app.getDefaultJsonParser("error", "ignore");
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body.toString().trim() === "") done(null, undefined);
    else void parse(request, body as string, done);
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(new AppError("unsupported_media_type", "Send the body as application/json."));
  });
}
