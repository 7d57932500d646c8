/**
 * The page `/docs`: the OpenAPI document of this installation, shown by Swagger UI. Calls go to this server alone. They
 * use the key that is pasted into the page, never the cookie of a session.
 */
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

type Document = { readonly servers: readonly { readonly url: string }[] };

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const applyScheme = (): void => {
  document.documentElement.classList.toggle("dark-mode", prefersDark.matches);
};
prefersDark.addEventListener("change", applyScheme);
applyScheme();

/**
 * Replaces the references of a part of the document. Swagger UI's own function reads the whole document for every
 * operation that is opened, which takes seconds.
 */
async function resolveSubtree(described: unknown, path: readonly string[]) {
  const at = (keys: readonly string[]): unknown =>
    keys.reduce((node: unknown, key) => (isObject(node) ? node[key] : undefined), described);
  const resolved = (node: unknown, inside: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((element) => resolved(element, inside));
    if (!isObject(node)) return node;
    const { $ref: ref } = node;
    if (typeof ref === "string" && !inside.includes(ref))
      return resolved(at(ref.split("/").slice(1)), [...inside, ref]);
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value, inside)]));
  };
  return { spec: resolved(at(path), []), errors: [] };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type System = { readonly React: { readonly createElement: (...parts: readonly unknown[]) => unknown } };

const plugin = ({ React }: System) => ({
  components: {
    // There is one server: the one that sent the page.
    ServersContainer: () => null,
    // The name of an operation is inside of the button that opens it, and must not be a second control.
    DeepLink: ({ text }: { readonly text: unknown }) => React.createElement("span", null, text),
  },
  fn: { resolveSubtree },
  statePlugins: {
    spec: {
      wrapSelectors: {
        // A stream has no end: the page would wait for it for good.
        allowTryItOutFor: () => (_state: unknown, path: string) => !path.endsWith("/events"),
      },
    },
  },
});

/** Swagger UI gives choices no name, and long examples cannot be scrolled with the keyboard. */
function completeControls(within: Element): void {
  for (const select of within.querySelectorAll("[data-param-name] select:not([aria-label])")) {
    const name = select.closest("[data-param-name]")?.getAttribute("data-param-name");
    select.setAttribute("aria-label", name ?? "");
  }
  for (const example of within.querySelectorAll("pre.microlight:not([tabindex])"))
    example.setAttribute("tabindex", "0");
}

const domNode = document.querySelector("#docs");
const answer = await fetch("/api/v1/openapi.json", { credentials: "omit" });
if (domNode && answer.ok) {
  new MutationObserver(() => completeControls(domNode)).observe(domNode, { childList: true, subtree: true });
  const described = (await answer.json()) as Document;
  SwaggerUI({
    domNode,
    // By its own address, which may be another one than that in the document: the policy of the page allows no other.
    spec: { ...described, servers: [{ url: location.origin }] },
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    // Its colors have enough contrast.
    syntaxHighlight: { theme: "tomorrow-night" },
    persistAuthorization: false,
    validatorUrl: null,
    requestInterceptor: (request) => {
      request.credentials = "omit";
      return request;
    },
    plugins: [plugin],
  });
} else if (domNode) domNode.textContent = `The OpenAPI document cannot be read: status ${answer.status}.`;
