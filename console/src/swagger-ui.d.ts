/** What the page with the API's documentation uses of Swagger UI, which has no types of its own. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  type Request = { credentials?: RequestCredentials };
  export default function SwaggerUI(options: {
    readonly domNode: Element;
    readonly spec: object;
    readonly deepLinking: boolean;
    readonly docExpansion: "list" | "full" | "none";
    readonly defaultModelsExpandDepth: number;
    readonly displayRequestDuration: boolean;
    readonly syntaxHighlight: { readonly theme: string };
    readonly persistAuthorization: boolean;
    readonly validatorUrl: null;
    readonly requestInterceptor: (request: Request) => Request;
    readonly plugins: readonly unknown[];
  }): void;
}
