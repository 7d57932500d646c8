/**
 * Calls the public API with the session cookie. Every failure is a `Problem` with its sentence, code and request id.
 */

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** The run that failed, or that is in the way. */
  readonly runId: string | null;
  readonly fields: readonly { readonly pointer: string; readonly detail: string }[];
  /** Settings that may help, by name. */
  readonly suggested: Readonly<Record<string, string>> | null;

  constructor(status: number, body: ProblemBody) {
    super(body.detail ?? body.title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = body.code ?? `http_${status}`;
    this.requestId = body.request_id ?? null;
    this.runId = body.run_id ?? null;
    this.fields = body.errors ?? [];
    this.suggested = body.suggested_settings ?? null;
  }
}

export type ProblemBody = {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly request_id?: string;
  readonly run_id?: string;
  readonly errors?: Problem["fields"];
  readonly suggested_settings?: Readonly<Record<string, string>>;
};

export const toProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(0, { detail: String(error) });

export type ApiRequest = {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  /** The slug of the catalog. */
  readonly catalog?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** An event of the window: the API refused the session. */
export const REFUSED = "shelfwire:refused";

export async function callApi(path: string, call: ApiRequest = {}): Promise<Response> {
  const response = await send(path, call);
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as ProblemBody;
  if (response.status === 401) window.dispatchEvent(new Event(REFUSED));
  throw new Problem(response.status, problem);
}

async function send(path: string, call: ApiRequest): Promise<Response> {
  const { method = "GET", body, signal } = call;
  try {
    return await fetch(`/api/v1${path}`, {
      method,
      headers: headersOf(call),
      ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new Problem(0, { code: "offline", detail: "The server does not answer. Check that it runs." });
  }
}

const headersOf = ({ body, catalog, headers }: ApiRequest): Record<string, string> => ({
  // Other sites' pages cannot send this header: it protects against forged requests.
  "x-shelfwire-console": "1",
  ...(catalog !== undefined && { "shelfwire-catalog": catalog }),
  ...(body !== undefined && !(body instanceof Blob) && { "content-type": "application/json" }),
  ...headers,
});

/** The `data` of a JSON answer. */
export async function fetchData<T extends { readonly data: unknown }>(
  path: string,
  call: ApiRequest = {},
): Promise<T["data"]> {
  return ((await (await callApi(path, call)).json()) as T).data;
}

/** Saves an answer as a file. A plain link cannot: it would not have the headers of a session. */
export async function download(path: string, fileName: string, catalog: string | undefined): Promise<void> {
  const blob = await (await callApi(path, { catalog })).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
