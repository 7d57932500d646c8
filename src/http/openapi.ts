/** The frame of the OpenAPI document; the calls in it come from the routes themselves. */
import type { SwaggerOptions } from "@fastify/swagger";

export function openapiInfo(baseUrl: string): SwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Shelfwire",
        version: "1",
        description:
          "Hosted catalog feeds, source syncs and run history. Every JSON answer has the single key `data`; every refusal is an RFC 9457 problem document with a stable `code`.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          key: {
            type: "http",
            scheme: "bearer",
            description: "An API key: sw_…; it belongs to one catalog.",
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) =>
        typeof json["$id"] === "string" ? json["$id"] : `def-${i}`,
    },
  };
}
