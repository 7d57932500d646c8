/** Why a delivery failed. The message may be shown to users: it says what is wrong, where, and what to do. */
import type { DeliveryErrorCode } from "../contract/destination-deliveries.ts";
import { HttpFailure, type HttpFailureKind } from "../lib/outbound/http-failure.ts";

export class DeliveryFailure extends Error {
  override readonly name = "DeliveryFailure";
  readonly code: DeliveryErrorCode;

  constructor(code: DeliveryErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const CODE_OF_KIND: Partial<Record<HttpFailureKind, DeliveryErrorCode>> = {
  forbidden: "blocked",
  timeout: "timeout",
};

/** Converts failures of the connection to failures of the delivery; internal failures are returned unchanged. */
export function asDeliveryFailure(error: unknown): unknown {
  if (!(error instanceof HttpFailure)) return error;
  return new DeliveryFailure(CODE_OF_KIND[error.kind] ?? "unreachable", error.message, error);
}
